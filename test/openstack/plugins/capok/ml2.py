"""ML2 mechanism driver that binds the ports of the host named 'fake'.

Nova's fake driver runs on a host that has no L2 agent: ML2 would set its ports
to binding_failed, and Nova would refuse to boot. This driver binds them at once
and says that they are ACTIVE; nothing is plugged.
"""
from neutron_lib.api.definitions import portbindings
from neutron_lib import constants
from neutron_lib.plugins.ml2 import api


class FakeHostMechanismDriver(api.MechanismDriver):

    @property
    def connectivity(self):
        return portbindings.CONNECTIVITY_L2

    def initialize(self):
        pass

    def bind_port(self, context):
        if context.host != 'fake':
            return
        for segment in context.segments_to_bind:
            context.set_binding(
                segment[api.ID], portbindings.VIF_TYPE_BRIDGE,
                {portbindings.CAP_PORT_FILTER: False,
                 portbindings.VIF_DETAILS_CONNECTIVITY: self.connectivity},
                status=constants.PORT_STATUS_ACTIVE)
            return
