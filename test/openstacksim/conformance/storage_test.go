package conformance

import (
	"net/http"
	"net/url"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Volumes", func() {
	made := func(ctx SpecContext, more object) object {
		GinkgoHelper()
		fields := object{"name": name("volume"), "size": 1}
		for k, v := range more {
			fields[k] = v
		}
		return volumes.make(ctx, fields)
	}
	behaviour("begin as creating and become available", "block-storage-api-ref: Volumes, status", func(ctx SpecContext) {
		v := made(ctx, nil)
		Expect(v["status"]).To(Equal("creating"))
		Eventually(volumes.field(ctx, id(v), "status")).WithContext(ctx).Should(Equal("available"))
	})
	behaviour("are found by the metadata of the call that makes them", "block-storage-api-ref: List volumes, metadata", func(ctx SpecContext) {
		mark := name("mark")
		v := made(ctx, object{"metadata": object{"capok-cluster": mark}})
		Expect(values(volumes.found(ctx, url.Values{"metadata": {"{'capok-cluster': '" + mark + "'}"}}), "id")).To(ConsistOf(v["id"]))
		Expect(volumes.found(ctx, url.Values{"metadata": {"{'capok-cluster': '" + mark + "x'}"}})).To(BeEmpty())
		Eventually(volumes.field(ctx, id(v), "status")).WithContext(ctx).Should(Equal("available"))
	})
	behaviour("go with 202, and then a look at them says 404", "block-storage-api-ref: Delete a volume", func(ctx SpecContext) {
		v := made(ctx, nil)
		Eventually(volumes.field(ctx, id(v), "status")).WithContext(ctx).Should(Equal("available"))
		Expect(cloud.delete(ctx, storage, volumes.path+"/"+id(v)).status).To(Equal(http.StatusAccepted))
		Eventually(func() int { return volumes.show(ctx, id(v)).status }).WithContext(ctx).Should(Equal(http.StatusNotFound))
	})
	behaviour("that are not there are answered with 404 in JSON", "block-storage-api-ref: Show a volume's details", func(ctx SpecContext) {
		Expect(volumes.show(ctx, "00000000-0000-0000-0000-000000000000")).To(absent())
	})
	behaviour("of no size are refused", "block-storage-api-ref: Create a volume, size", func(ctx SpecContext) {
		Expect(volumes.try(ctx, object{"name": name("volume"), "size": 0})).To(refusal(http.StatusBadRequest, "size"))
	})
	behaviour("of a type that there is not are refused with 404", "cinder/api/v3/volumes.py, create", func(ctx SpecContext) {
		Expect(volumes.try(ctx, object{"name": name("volume"), "size": 1, "volume_type": "none-" + run}).status).To(Equal(http.StatusNotFound))
	})
	behaviour("from an image that there is not are refused", "cinder/api/v2/volumes.py, _image_uuid_from_ref", func(ctx SpecContext) {
		Expect(volumes.try(ctx, object{"name": name("volume"), "size": 1, "imageRef": "00000000-0000-0000-0000-000000000000"}).status).To(Equal(http.StatusBadRequest))
	})
})

var _ = Describe("Images", func() {
	behaviour("are found by their name, whole", "image-api-ref: List images, name", func(ctx SpecContext) {
		one := images.show(ctx, offer.image)
		Expect(one.status).To(Equal(http.StatusOK))
		called := one.body["name"].(string)
		Expect(values(images.found(ctx, url.Values{"name": {called}}), "id")).To(ContainElement(offer.image))
		Expect(images.found(ctx, url.Values{"name": {called + "-" + run}})).To(BeEmpty())
	})
	behaviour("tell their status and what they need of a disk", "image-api-ref: Show image", func(ctx SpecContext) {
		Expect(images.show(ctx, offer.image).body).To(And(HaveKeyWithValue("status", "active"), HaveKey("min_disk"), HaveKey("min_ram")))
	})
	behaviour("are answered with 404 when they are not there", "image-api-ref: Show image", func(ctx SpecContext) {
		Expect(images.show(ctx, "00000000-0000-0000-0000-000000000000").status).To(Equal(http.StatusNotFound))
	})
	behaviour("without content are queued", "image-api-ref: Create image", func(ctx SpecContext) {
		got := cloud.post(ctx, imaging, images.path, object{"name": name("image"), "container_format": "bare", "disk_format": "raw"})
		Expect(got.status).To(Equal(http.StatusCreated), got.String())
		DeferCleanup(func(ctx SpecContext) { cloud.delete(ctx, imaging, images.path+"/"+id(got.body)) })
		Expect(got.body["status"]).To(Equal("queued"))
	})
})
