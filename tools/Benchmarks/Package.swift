// swift-tools-version: 6.2
import PackageDescription

let cryptography: [Target.Dependency] = [
  .product(name: "Crypto", package: "swift-crypto"), .product(name: "CryptoExtras", package: "swift-crypto"),
]

func contactless(_ names: String...) -> [Target.Dependency] {
  names.map { .product(name: $0, package: "contactless") }
}

// Nested, so that users of the products resolve nothing of this.
let package = Package(
  name: "benchmarks",
  dependencies: [
    .package(name: "contactless", path: "../.."),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .target(name: "CAllocationCounter"),
    .executableTarget(
      name: "allocations",
      dependencies: ["CAllocationCounter"]
        + contactless(
          "ContactlessPayment", "DeviceAuthentication", "EMVCard", "EMVCryptography", "EMVIssuer", "ISO7816", "Links",
          "Octets")),
    // A link to the scripted client of the tests.
    .target(
      name: "ScriptedClient",
      dependencies: contactless("Octets", "JSON", "JOSE", "FIDOUAF", "AccessMessages") + cryptography),
    .executableTarget(
      name: "access",
      dependencies: ["ScriptedClient", .product(name: "GRDB", package: "GRDB.swift")]
        + contactless("Octets", "AccessMessages", "AccessServer", "AccessDatabase") + cryptography),
  ]
)
