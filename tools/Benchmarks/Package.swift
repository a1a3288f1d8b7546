// swift-tools-version: 6.2
import PackageDescription

func products(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "contactless") } }

// Only `access` needs these packages. NIO takes minutes to build: `--disable-default-traits` leaves all of them out.
func access(_ product: String, from package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Access"]))
}
let cryptography = [access("Crypto", from: "swift-crypto"), access("CryptoExtras", from: "swift-crypto")]

// Nested, so that users of the products resolve nothing of this.
let package = Package(
  name: "benchmarks",
  traits: [
    .default(enabledTraits: ["Access"]),
    .trait(name: "Access", description: "The packages of the benchmark access."),
  ],
  dependencies: [
    .package(
      name: "contactless", path: "../..",
      traits: ["PCSC", .trait(name: "Access", condition: .when(traits: ["Access"]))]),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .target(name: "CAllocationCounter"),
    .target(name: "CInstructionCounter"),
    // The reference is compiled as C programs usually are.
    .target(name: "CPlainCard", cSettings: [.unsafeFlags(["-O2"])]),
    .executableTarget(
      name: "allocations",
      dependencies: ["CAllocationCounter", "MeasuredSession"]
        + products(
          "EMVCard", "EMVTerminal", "ISO7816", "Links", "Octets", "PCSCReader", "PaymentAcceptance", "TapLatency",
          "VirtualCard")),
    // The reference of `transmit`.
    .target(
      name: "CPlainReader", cSettings: [.unsafeFlags(["-O2", "-I/usr/include/PCSC"])],
      linkerSettings: [.linkedLibrary("pcsclite")]),
    .executableTarget(
      name: "transmit",
      dependencies: ["CPlainReader", "Peers"] + products("ISO7816", "Links", "Octets", "PCSCReader", "VirtualCard")),
    // Other libraries that do the same work.
    .target(name: "Peers"),
    .target(name: "InstructionCounting", dependencies: ["CInstructionCounter"]),
    .target(
      name: "MeasuredSession",
      dependencies: products("ContactlessPayment", "DeviceAuthentication", "EMVCard", "EMVIssuer", "Links")),
    .executableTarget(
      name: "dispatch",
      dependencies: ["CInstructionCounter", "CPlainCard", "InstructionCounting", "MeasuredSession"]
        + products("EMVCard", "ISO7816", "Links", "Octets")),
    .executableTarget(name: "transcripts", dependencies: products("Octets", "Transcripts")),
    .target(name: "CHeapSize"),
    .executableTarget(
      name: "sessions",
      dependencies: ["CHeapSize", "CInstructionCounter", "InstructionCounting", "MeasuredSession"]
        + products("ContactlessPayment", "EMVCard", "ISO7816", "Links", "Octets")),
    .executableTarget(
      name: "latency",
      dependencies: ["MeasuredSession", "Peers"]
        + products(
          "ContactlessPayment", "DeviceAuthentication", "EMVCard", "EMVIssuer", "EMVTerminal", "ISO7816", "Links",
          "Octets",
          "PaymentAcceptance", "PaymentSimulation", "TapLatency", "TapReplay", "Transcripts")),
    // The reference of `parts`.
    .target(name: "CPlainParts", cSettings: [.unsafeFlags(["-O2"])], linkerSettings: [.linkedLibrary("nettle")]),
    .executableTarget(
      name: "parts",
      dependencies: ["CPlainParts", "InstructionCounting", "MeasuredSession"]
        + products("EMVCard", "EMVData", "EMVTerminal", "ISO7816", "Links", "Octets")),
    // A link to the scripted client of the tests.
    .target(
      name: "ScriptedClient",
      dependencies: products("Octets", "JSON", "JOSE", "FIDOUAF", "AccessMessages", "AccessServer") + cryptography),
    .target(name: "CFlushControl"),
    .executableTarget(
      name: "access",
      dependencies: ["CFlushControl", "ScriptedClient", .product(name: "GRDB", package: "GRDB.swift")]
        + products(
          "Octets", "FIDOUAF", "AccessMessages", "AccessServer", "DeviceAuthentication", "DeviceLink", "HTTPSTransport")
        + cryptography),
  ]
)
