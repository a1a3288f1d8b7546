// swift-tools-version: 6.2
import PackageDescription

// Nested, so that users of the products resolve nothing of this.
let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "contactless", path: "../..")],
  targets: [
    .target(name: "CAllocationCounter"),
    .executableTarget(
      name: "allocations",
      dependencies: ["CAllocationCounter"]
        + [
          "ContactlessPayment", "DeviceAuthentication", "EMVCard", "EMVCryptography", "EMVIssuer", "ISO7816", "Links",
          "Octets",
        ].map { .product(name: $0, package: "contactless") }),
  ]
)
