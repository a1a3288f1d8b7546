// swift-tools-version: 6.2
import PackageDescription

func products(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "contactless") } }

// Nested, so that users of the products resolve nothing of this.
let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "contactless", path: "../..")],
  targets: [
    .target(name: "CAllocationCounter"),
    .target(name: "CInstructionCounter"),
    // The reference is compiled as C programs usually are.
    .target(name: "CPlainCard", cSettings: [.unsafeFlags(["-O2"])]),
    .executableTarget(
      name: "allocations",
      dependencies: ["CAllocationCounter"]
        + products(
          "ContactlessPayment", "DeviceAuthentication", "EMVCard", "EMVCryptography", "EMVIssuer", "ISO7816", "Links",
          "Octets")),
    .executableTarget(
      name: "dispatch",
      dependencies: ["CInstructionCounter", "CPlainCard"]
        + products(
          "ContactlessPayment", "DeviceAuthentication", "EMVCard", "EMVIssuer", "ISO7816", "Links", "Octets")),
  ]
)
