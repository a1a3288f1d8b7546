// swift-tools-version: 6.2
import PackageDescription

// A folder in Sources is a wing, a folder in a wing is a target. Imports point one way: `Sources/Contactless.docc` lists
// the imports of each target, and `Tests/TapTests/ArrowTests.swift` fails on any difference.
//
// Variables of the environment steer a build:
// - `CONTACTLESS_TESTS`, of any value, adds the tests, the programs that they run, and the benchmarks.
// - `CONTACTLESS_ONLY` names targets, such as "OctetsTests tap": only they and what they need are kept. `--build-tests` builds
//   every target of the manifest, and a package whose trait is off is fetched here all the same.
// - `CONTACTLESS_OPTIMISED` names targets too: they and what they need are optimised, whatever the options of the build are.
// - `SWIFT_DETERMINISTIC_HASHING=1` is for SwiftPM: without it, it compiles every module again now and then (`tools/test`).

func library(_ name: String, in wing: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "Sources/\(wing)/\(name)")
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: dependencies + ["TestSupport", "Fixtures"], path: "Tests/\(name)Tests",
    // A release build is there to test optimised libraries; optimising the tests themselves would take longer than that.
    swiftSettings: [.unsafeFlags(["-Onone"], .when(configuration: .release))])
}

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
/// A product that only the access wing uses. Without the trait a package that depends on this one does not fetch it.
func access(_ product: String, from package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Access"]))
}

let asn1 = access("SwiftASN1", from: "swift-asn1")
let crypto = access("Crypto", from: "swift-crypto")
let cryptography = [crypto, access("CryptoExtras", from: "swift-crypto")]
let certificates = [access("X509", from: "swift-certificates"), asn1]
let nio = access("NIOCore", from: "swift-nio")
let tls = access("NIOSSL", from: "swift-nio-ssl")
let httpClient = [
  access("AsyncHTTPClient", from: "async-http-client"), nio, access("NIOHTTP1", from: "swift-nio"), tls,
]
let signals = access("UnixSignals", from: "swift-service-lifecycle")
let httpServer = [
  access("HTTPTypes", from: "swift-http-types"), access("Hummingbird", from: "hummingbird"),
  access("HummingbirdCore", from: "hummingbird"),
  access("Logging", from: "swift-log"), nio, tls, access("ServiceLifecycle", from: "swift-service-lifecycle"), signals,
]
let metrics = access("CoreMetrics", from: "swift-metrics")
let database = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let nfc = Target.Dependency.target(name: "CNFC", condition: .when(traits: ["LibNFC"]))
let pam = Target.Dependency.target(name: "CPAM", condition: .when(traits: ["LinuxDevice"]))
let systemBus = Target.Dependency.target(name: "CSDBus", condition: .when(traits: ["LinuxDevice"]))
let tpm = Target.Dependency.target(name: "CTSS", condition: .when(traits: ["LinuxDevice"]))
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let pcsc = Target.Dependency.target(name: "CPCSC", condition: .when(traits: ["PCSC"]))
// A module of its own although its flags are those of CPCSC: each C library is imported by one target.
let driverInterface = Target.Dependency.target(name: "CIFDHandler", condition: .when(traits: ["PCSC"]))

let bytes: [Target] = [
  library("Octets", in: "Bytes", ["CTimerFD"]),
  library("POSIX", in: "Bytes", ["Octets", "CSharedPage", systemPackage]),
  library("Ciphers", in: "Bytes", ["Octets", "CNettle"]),
  library("ProcessGuard", in: "Bytes", ["POSIX", "CProcessGuard"]),
  library("ISO7816", in: "Bytes", ["Octets"]),
  library("JSON", in: "Bytes"),
  library("Documents", in: "Bytes", ["Octets", "JSON"]),
  library("DisplayText", in: "Bytes", ["Octets"]),
  library("HTMLPages", in: "Bytes", ["Octets", "DisplayText", "Ciphers"]),
  library("GuardedSQLite", in: "Bytes", ["CSQLite", database]),
]

let emv: [Target] = [
  library("EMVData", in: "EMV", ["Octets", "ISO7816", "JSON", "Documents"]),
  library("EMVDecoding", in: "EMV", ["Octets", "ISO7816", "EMVData"]),
  library("EMVCryptography", in: "EMV", ["Octets", "Ciphers", "ISO7816", "EMVData"]),
  library("EMVCard", in: "EMV", ["Octets", "Ciphers", "ISO7816", "JSON", "Documents", "EMVData", "EMVCryptography"]),
  library(
    "EMVTerminal", in: "EMV", ["Octets", "Ciphers", "ISO7816", "JSON", "Documents", "EMVData", "EMVCryptography"]),
  library("EMVIssuer", in: "EMV", ["Octets", "Ciphers", "ISO7816", "EMVData", "EMVCryptography", "EMVCard"]),
]

let device: [Target] = [
  library("DeviceAuthentication", in: "Device", ["Octets", "POSIX", "DisplayText", "JSON", "Documents"]),
  library(
    "DeviceLink", in: "Device", ["Octets", "POSIX", "DisplayText", "ProcessGuard", "Ciphers", "DeviceAuthentication"]),
  // Linked by tap-device only.
  library(
    "LinuxDevice", in: "Device",
    ["Octets", "POSIX", "DisplayText", "Ciphers", "DeviceAuthentication", pam, systemBus, tpm]),
]

let readers: [Target] = [
  library("Links", in: "Readers", ["Octets", "POSIX", "ISO7816"]),
  library("Transcripts", in: "Readers", ["Octets", "ISO7816", "JSON", "EMVData", "EMVDecoding", "Links"]),
  library("CardEmulation", in: "Readers", ["Octets", "ISO7816", "Links"]),
  library("PCSCReader", in: "Readers", ["Octets", "ISO7816", "Links", pcsc]),
  library("NFCReader", in: "Readers", ["Octets", "POSIX", "ISO7816", "Links"]),
  library("VirtualCard", in: "Readers", ["Octets", "POSIX", "ProcessGuard", "ISO7816", "Links"]),
  // The readers and the links on which programs present a card, by name, and what keeps them from working.
  library("ReaderKinds", in: "Readers", ["Octets", "DisplayText", "Links", "PCSCReader", "NFCReader", "VirtualCard"]),
]

let payment: [Target] = [
  library(
    "ContactlessPayment", in: "Payment",
    ["Octets", "POSIX", "Ciphers", "ISO7816", "EMVData", "EMVCryptography", "EMVCard", "DeviceAuthentication", "Links"]),
  library(
    "WalletDatabase", in: "Payment",
    [
      "Octets", "POSIX", "GuardedSQLite", "Ciphers", "EMVCard", "DeviceAuthentication", "ContactlessPayment", database,
    ]),
  library(
    "PaymentAcceptance", in: "Payment", ["Octets", "ISO7816", "JSON", "EMVData", "EMVTerminal", "Links", "Transcripts"]),
]

// What tests payments. Nothing that a wallet or a terminal needs to work is here.
let lab: [Target] = [
  library("CardFaults", in: "Lab", ["Octets", "ISO7816", "JSON", "Documents", "EMVData", "EMVCard"]),
  library("ReaderSimulator", in: "Lab", ["Octets", "POSIX", "ISO7816", "Links"]),
  // The same readers on a USB bus, under libccid and libnfc.
  library(
    "USBSimulator", in: "Lab",
    ["Octets", "POSIX", "ISO7816", "JSON", "Documents", "Links", "ReaderSimulator", "VirtualCard"]),
  // Both sides of a tap.
  library(
    "PaymentSimulation", in: "Lab",
    [
      "Octets", "ISO7816", "JSON", "EMVData", "EMVCryptography", "EMVCard", "EMVTerminal", "EMVIssuer",
      "DeviceAuthentication", "Links", "Transcripts", "ContactlessPayment", "PaymentAcceptance", "CardFaults",
    ]),
  // The logs of other tools. Apart from Transcripts: a terminal that records needs no importer.
  library("RecordingFormats", in: "Lab", ["Octets", "ISO7816", "JSON", "EMVDecoding", "Transcripts"]),
  library(
    "CardExploration", in: "Lab",
    [
      "Octets", "ISO7816", "JSON", "Documents", "EMVData", "EMVDecoding", "EMVCard", "Links", "POSIX",
      "Transcripts",
    ]),
  // The profiles of both sides.
  library(
    "ProfileAuthoring", in: "Lab",
    ["Octets", "ISO7816", "JSON", "Documents", "EMVData", "EMVDecoding", "EMVCard", "EMVTerminal", "CardFaults"]),
  // A model of links in virtual time: no clock, no reader.
  library("LinkTiming", in: "Lab", ["DisplayText", "ISO7816", "EMVDecoding"]),
  // Both sides of a tap.
  library(
    "TapLatency", in: "Lab",
    [
      "Octets", "DisplayText", "ISO7816", "EMVCard", "EMVTerminal", "Links", "ContactlessPayment", "PaymentAcceptance",
      "PaymentSimulation",
    ]),
  library(
    "TapScenarios", in: "Lab",
    [
      "Octets", "Ciphers", "DisplayText", "ISO7816", "JSON", "Documents", "EMVCryptography", "EMVData", "EMVDecoding",
      "EMVCard",
      "EMVTerminal", "EMVIssuer", "DeviceAuthentication", "Links", "POSIX", "Transcripts", "ContactlessPayment",
      "PaymentAcceptance", "CardFaults", "PaymentSimulation", "TapLatency", yams,
    ]),
  library("SimulationRules", in: "Lab", ["Octets"]),
  library(
    "ProductSimulation", in: "Lab",
    [
      "Octets", "ISO7816", "JSON", "Documents", "EMVData", "EMVCard", "EMVTerminal", "EMVIssuer",
      "DeviceAuthentication", "Links", "Transcripts", "ContactlessPayment", "WalletDatabase", "PaymentAcceptance",
      "PaymentSimulation", "AccessMessages", "HTTPSTransport", "MobileAuthentication", "WalletAccess",
      "CardProvisioning", "ServerStore",
      "ServerShell", "AccessServer", "SimulationRules",
    ]),
  library(
    "TapReports", in: "Lab",
    [
      "Octets", "DisplayText", "HTMLPages", "EMVDecoding", "EMVTerminal", "Transcripts", "PaymentAcceptance",
      "LinkTiming", "TapLatency", "TapScenarios",
    ]),
]

// The next three wings are not linked by tap, which builds without swift-crypto.
let fido: [Target] = [
  library("JOSE", in: "FIDO", ["Octets", "JSON", "Documents"] + cryptography),
  library(
    "FIDOUAF", in: "FIDO",
    ["Octets", "JSON", "Documents", "JOSE", asn1] + cryptography),
  // The ceremonies of a server, without a server: no store, no HTTP, no clock.
  library("RelyingParty", in: "FIDO", ["Octets", "Documents", "FIDOUAF"]),
]

let access: [Target] = [
  library("AccessMessages", in: "Access", ["Octets", "JSON", "Documents", "JOSE", "FIDOUAF"] + cryptography),
  library("QRCode", in: "Access", ["CPNG", "CZXing"]),
  library("HTTPSTransport", in: "Access", ["JSON", "Documents", "AccessMessages"] + httpClient),
  library(
    "MobileAuthentication", in: "Access",
    [
      "Octets", "POSIX", "JSON", "Documents", "JOSE", "FIDOUAF", "AccessMessages", "DeviceAuthentication",
    ] + cryptography),
  library(
    "WalletAccess", in: "Access",
    [
      "Octets", "JSON", "Documents", "JOSE", "FIDOUAF", "AccessMessages", "DeviceAuthentication",
      "MobileAuthentication", crypto,
    ]),
  library(
    "CardProvisioning", in: "Access",
    [
      "Octets", "POSIX", "JSON", "Documents", "JOSE", "AccessMessages", "MobileAuthentication", "WalletAccess",
      "EMVCard", "ContactlessPayment",
    ]),
]

let server: [Target] = [
  library(
    "ServerStore", in: "Server",
    ["Octets", "POSIX", "DisplayText", "GuardedSQLite", "AccessMessages", "CPostgreSQL", database, crypto]),
  library(
    "ServerShell", in: "Server",
    ["Octets", "POSIX", "DisplayText", "JSON", "Documents", "JOSE", "AccessMessages", "ServerStore"] + cryptography
      + httpServer + certificates + [metrics]),
  library(
    "OperatorPages", in: "Server",
    [
      "Octets", "DisplayText", "HTMLPages", "EMVData", "JOSE", "FIDOUAF", "AccessMessages", "ServerStore",
      "ServerShell",
      crypto,
    ]),
  library(
    "AccessServer", in: "Server",
    [
      "Octets", "DisplayText", "Ciphers", "ProcessGuard", "ISO7816", "JSON", "Documents", "EMVData", "EMVCryptography",
      "EMVCard", "EMVIssuer", "JOSE", "FIDOUAF", "RelyingParty", "AccessMessages", "QRCode", "ServerStore",
      "ServerShell", "OperatorPages",
    ] + cryptography),
]

let system: [Target] = [
  .systemLibrary(
    name: "CIFDHandler", path: "Sources/System/CIFDHandler", pkgConfig: "libpcsclite",
    providers: [.apt(["libpcsclite-dev"])]),
  .systemLibrary(
    name: "CEdit", path: "Sources/System/CEdit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"])]),
  .systemLibrary(
    name: "CNFC", path: "Sources/System/CNFC", pkgConfig: "libnfc", providers: [.apt(["libnfc-dev"])]),
  .systemLibrary(
    name: "CNettle", path: "Sources/System/CNettle", pkgConfig: "nettle",
    providers: [.apt(["nettle-dev", "libgmp-dev"])]),
  .systemLibrary(name: "CPNG", path: "Sources/System/CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
  // C functions around variadic ones of Linux.
  .target(name: "CProcessGuard", path: "Sources/System/CProcessGuard"),
  // A handler of SIGBUS, which Swift cannot be.
  .target(name: "CSharedPage", path: "Sources/System/CSharedPage"),
  // A C function around a variadic one of SQLite.
  .target(name: "CSQLite", path: "Sources/System/CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
  .systemLibrary(name: "CTimerFD", path: "Sources/System/CTimerFD"),
  // C functions around ZXing, which has a C++ interface only.
  .target(
    name: "CZXing", path: "Sources/System/CZXing", linkerSettings: [.linkedLibrary("ZXing")]),
  .systemLibrary(name: "CPAM", path: "Sources/System/CPAM", providers: [.apt(["libpam0g-dev"])]),
  .systemLibrary(
    name: "CPCSC", path: "Sources/System/CPCSC", pkgConfig: "libpcsclite", providers: [.apt(["libpcsclite-dev"])]),
  .systemLibrary(
    name: "CPostgreSQL", path: "Sources/System/CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
  .systemLibrary(
    name: "CSDBus", path: "Sources/System/CSDBus", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
  .systemLibrary(
    name: "CTSS", path: "Sources/System/CTSS", pkgConfig: "tss2-esys", providers: [.apt(["libtss2-dev"])]),
  // pcscd loads it: a driver for readers that exist only in ReaderSimulator.
  .target(name: "IFDSimulatedChip", dependencies: [driverInterface], path: "Sources/System/IFDSimulatedChip"),
]

let everything: [Target.Dependency] = [
  "Octets", "POSIX", "Ciphers", "ISO7816", "JSON", "Documents", "DisplayText", "EMVData", "EMVDecoding",
  "EMVCryptography",
  "EMVCard",
  "EMVTerminal", "EMVIssuer",
  "DeviceAuthentication", "DeviceLink", "Links", "CardEmulation", "Transcripts",
  "PCSCReader",
  "NFCReader", "VirtualCard", "ReaderKinds", "ReaderSimulator", "USBSimulator", "ContactlessPayment",
  "WalletDatabase",
  "PaymentAcceptance", "CardFaults", "PaymentSimulation", "RecordingFormats", "CardExploration", "ProfileAuthoring",
  "LinkTiming", "TapLatency",
  "TapScenarios", "TapReports",
]

let programs: [Target] = [
  // What the programs share. No library of its own.
  .target(
    name: "ProgramSupport",
    dependencies: [
      "Octets", "ProcessGuard", "JSON", "Documents", "DisplayText", "POSIX", "DeviceAuthentication", "DeviceLink",
      arguments,
    ], path: "Sources/Programs/ProgramSupport"),
  // Apart from ProgramSupport: servers and helpers link no line editor and no payment.
  .target(
    name: "PaymentPrograms",
    dependencies: [
      "POSIX", "CEdit", "EMVTerminal", "DeviceAuthentication", "Links", "ContactlessPayment",
      "PaymentAcceptance", "ProgramSupport",
    ], path: "Sources/Programs/PaymentPrograms"),
  .executableTarget(
    name: "tap", dependencies: everything + ["ProcessGuard", "ProgramSupport", "PaymentPrograms", arguments],
    path: "Sources/Programs/tap",
    resources: [.embedInCode("Embedded")]),
  .executableTarget(
    name: "tap-device",
    dependencies: [
      "Octets", "ProcessGuard", "DeviceAuthentication", "DeviceLink", "LinuxDevice", "ProgramSupport", arguments,
    ],
    path: "Sources/Programs/tap-device"),
  .executableTarget(
    name: "tap-authorize",
    dependencies: ["Octets", "ProcessGuard", "JSON", "HTTPSTransport", "ProgramSupport", arguments],
    path: "Sources/Programs/tap-authorize"),
  .executableTarget(
    name: "tap-server",
    dependencies: [
      "Octets", "POSIX", "ProcessGuard", "JSON", "Documents", "DisplayText", "FIDOUAF", "AccessMessages",
      "QRCode",
      "HTTPSTransport", "ServerStore", "AccessServer", "DeviceAuthentication", "DeviceLink", "ProgramSupport",
      arguments,
      tls, signals,
    ],
    path: "Sources/Programs/tap-server"),
  .executableTarget(
    name: "tap-wallet",
    dependencies: [
      "Octets", "POSIX", "ProcessGuard", "JSON", "Documents", "DisplayText", "HTMLPages", "JOSE", "FIDOUAF",
      "AccessMessages", "QRCode",
      "HTTPSTransport",
      "MobileAuthentication", "WalletAccess", "CardProvisioning", "DeviceAuthentication", "DeviceLink",
      "ISO7816", "EMVData", "EMVCard", "EMVTerminal", "Links", "ReaderKinds", "ContactlessPayment", "WalletDatabase",
      "PaymentAcceptance", "PaymentSimulation", "ProgramSupport", "PaymentPrograms", arguments,
    ], path: "Sources/Programs/tap-wallet", resources: [.embedInCode("Embedded")]),
  .executableTarget(
    name: "tap-nfc", dependencies: ["Octets", "POSIX", "Documents", "ProcessGuard", "Links", "NFCReader", nfc],
    path: "Sources/Programs/tap-nfc"),
]

let proofs: [Target] = [
  .target(
    name: "Fixtures", path: "Fixtures",
    resources: [
      .copy("API"), .copy("Cards"), .copy("Terminals"), .copy("Schemas"), .copy("Scenarios"), .copy("Transcripts"),
      .copy("Vectors"), .copy("Crashers"), .copy("Reports"), .copy("Wallets"), .copy("States"), .copy("TerminalTests"),
      .copy("CardTests"), .copy("Capabilities"), .copy("WrongDocuments"), .copy("Readers"), .copy("Simulation"),
    ]),
  .target(
    name: "TestSupport",
    dependencies: [
      "Octets", "POSIX", "ISO7816", "JSON", "DeviceAuthentication", "Links", "ReaderSimulator", "USBSimulator",
      "VirtualCard", "IFDSimulatedChip", "Fixtures",
    ],
    path: "Tests/TestSupport"),
  // Payments for the tests of wallets, and for wallet-exercise.
  .target(
    name: "PaymentSupport",
    dependencies: [
      "Octets", "ISO7816", "EMVData", "EMVCard", "EMVTerminal", "ContactlessPayment", "PaymentAcceptance",
      "PaymentSimulation", "Fixtures",
    ],
    path: "Tests/PaymentSupport"),
  tests("Octets", ["Octets"]),
  tests("POSIX", ["POSIX"]),
  tests("Ciphers", ["Octets", "Ciphers"]),
  tests(
    "ProcessGuard",
    ["ProcessGuard", "guard-exercise", "tap", "tap-authorize", "tap-device", "tap-nfc", "tap-server", "tap-wallet"]),
  // Test machinery: a program that holds a secret, with the guards or without them, for the attackers of the tests.
  .executableTarget(
    name: "guard-exercise", dependencies: ["Octets", "ProcessGuard", "DeviceAuthentication", "DeviceLink"],
    path: "Tests/GuardExercise"),
  tests("ISO7816", ["Octets", "ISO7816"]),
  tests("JSON", ["JSON"]),
  tests("Documents", ["JSON", "Documents"]),
  tests("DisplayText", ["DisplayText"]),
  tests("SimulationRules", ["Octets", "SimulationRules"]),
  tests(
    "ProductSimulation",
    ["Octets", "EMVTerminal", "SimulationRules", "ProductSimulation", "simulation-exercise"]),
  tests("HTMLPages", ["Octets", "Ciphers", "DisplayText", "HTMLPages"]),
  tests("EMVData", ["Octets", "ISO7816", "JSON", "Documents", "EMVData"]),
  tests("EMVDecoding", ["Octets", "ISO7816", "EMVData", "EMVDecoding"]),
  // Defines a function of gmp, so that a test counts its calls.
  .target(
    name: "CExponentiationCounter", path: "Tests/CExponentiationCounter", linkerSettings: [.linkedLibrary("gmp")]),
  tests(
    "EMVCryptography",
    ["Octets", "Ciphers", "ISO7816", "JSON", "EMVData", "EMVCryptography", "CExponentiationCounter"]),
  tests(
    "EMVCard",
    ["Octets", "Ciphers", "ISO7816", "JSON", "Documents", "EMVData", "EMVCryptography", "EMVCard", "EMVIssuer"]),
  tests(
    "EMVTerminal", ["Octets", "Ciphers", "ISO7816", "JSON", "Documents", "EMVData", "EMVCryptography", "EMVTerminal"]),
  tests("EMVIssuer", ["Octets", "Ciphers", "ISO7816", "EMVData", "EMVCryptography", "EMVCard", "EMVIssuer"]),
  tests("DeviceAuthentication", ["Octets", "DeviceAuthentication"]),
  tests("DeviceLink", ["Octets", "ProcessGuard", "DeviceAuthentication", "DeviceLink"]),
  tests(
    "LinuxDevice",
    [
      "Octets", "EMVCard", "DeviceAuthentication", "DeviceLink", "LinuxDevice", "ContactlessPayment",
      "WalletDatabase", "PaymentSimulation", "PaymentSupport", "tap-device", "tap",
      // AccessWallet runs programs of the access wing on the same device.
      "JSON", "tap-wallet", "tap-server",
    ]),
  tests("Links", ["Octets", "ISO7816", "Links"]),
  tests("CardEmulation", ["Octets", "ISO7816", "Links", "CardEmulation"]),
  tests("Transcripts", ["Octets", "ISO7816", "JSON", "EMVData", "EMVDecoding", "Links", "Transcripts"]),
  tests(
    "RecordingFormats",
    ["Octets", "ISO7816", "JSON", "EMVData", "EMVDecoding", "Links", "Transcripts", "RecordingFormats"]),
  tests("PCSCReader", ["Octets", "ISO7816", "Links", "PCSCReader", "VirtualCard", "ReaderSimulator"]),
  tests("NFCReader", ["Octets", "ISO7816", "Links", "NFCReader", "ReaderSimulator", "USBSimulator", "tap-nfc"]),
  tests("VirtualCard", ["Octets", "ISO7816", "Links", "VirtualCard"]),
  tests("ReaderKinds", ["Octets", "Links", "PCSCReader", "NFCReader", "ReaderKinds"]),
  tests("ReaderSimulator", ["Octets", "ISO7816", "Links", "ReaderSimulator"]),
  tests("USBSimulator", ["Octets", "ISO7816", "Documents", "Links", "ReaderSimulator", "USBSimulator", "VirtualCard"]),
  tests(
    "ContactlessPayment",
    [
      "Octets", "Ciphers", "ISO7816", "EMVData", "EMVCryptography", "EMVCard", "EMVIssuer", "DeviceAuthentication",
      "Links",
      "ContactlessPayment", "PaymentSupport",
    ]),
  tests(
    "WalletDatabase",
    [
      "Octets", "Ciphers", "ISO7816", "EMVData", "EMVCryptography", "EMVCard", "EMVIssuer", "DeviceAuthentication",
      "Links", "ContactlessPayment", "WalletDatabase", "PaymentSupport", "wallet-exercise", "tap",
      database,
    ]),
  tests(
    "PaymentAcceptance",
    [
      "Octets", "ISO7816", "JSON", "Documents", "EMVData", "EMVTerminal", "Links", "Transcripts", "PaymentAcceptance",
    ]),
  tests("CardFaults", ["Octets", "Ciphers", "ISO7816", "JSON", "EMVData", "EMVCard", "CardFaults"]),
  tests(
    "PaymentSimulation",
    ["Octets", "ISO7816", "EMVCard", "Links", "Transcripts", "ContactlessPayment", "PaymentSimulation"]),
  tests("CardExploration", ["Octets", "ISO7816", "Links", "POSIX", "Transcripts", "CardExploration"]),
  tests("ProfileAuthoring", ["JSON", "EMVData", "EMVCard", "ProfileAuthoring"]),
  tests(
    "LinkTiming",
    [
      "Octets", "ISO7816", "EMVCard", "EMVTerminal", "PaymentAcceptance", "Transcripts", "TapLatency", "LinkTiming",
    ]),
  tests("TapLatency", ["Octets", "ISO7816", "EMVCard", "EMVTerminal", "Links", "PaymentAcceptance", "TapLatency"]),
  tests(
    "TapScenarios",
    [
      "Octets", "ISO7816", "JSON", "Documents", "EMVCard", "EMVData", "EMVDecoding", "EMVTerminal", "Links",
      "POSIX",
      "Transcripts", "PaymentAcceptance", "CardFaults", "TapLatency", "TapScenarios",
    ]),
  // Test machinery: simulations by seeds, for tools/simulate.
  .executableTarget(
    name: "simulation-exercise",
    dependencies: ["DisplayText", "HTMLPages", "EMVTerminal", "SimulationRules", "ProductSimulation", arguments],
    path: "Tests/SimulationExercise"),
  // Test machinery: KilledWalletTests and KilledIssuerTests run and kill it.
  .executableTarget(
    name: "wallet-exercise",
    dependencies: [
      "Octets", "ISO7816", "EMVData", "EMVCard", "EMVTerminal", "EMVIssuer", "DeviceAuthentication",
      "Links", "ContactlessPayment", "WalletDatabase", "PaymentAcceptance", "PaymentSimulation", "PaymentSupport",
      "Fixtures", arguments,
    ], path: "Tests/WalletExercise"),
  .target(name: "CSingleStep", path: "Tests/CSingleStep"),
  // Test machinery: steps an armed card through its instructions. tools/every-instruction and EveryInstructionTests run it.
  .executableTarget(
    name: "every-instruction",
    dependencies: [
      "CSingleStep", "Octets", "ISO7816", "JSON", "EMVData", "EMVCryptography", "EMVCard", "EMVIssuer",
      "DeviceAuthentication", "Links", "ContactlessPayment", "WalletDatabase", "PaymentSimulation",
      "PaymentSupport", "Fixtures", arguments,
    ], path: "Tests/EveryInstruction"),
  tests("JOSE", ["Octets", "JSON", "JOSE"] + cryptography),
  tests("FIDOUAF", ["Octets", "JSON", "Documents", "JOSE", "FIDOUAF"]),
  tests("RelyingParty", ["JSON", "JOSE", "FIDOUAF", "RelyingParty", "AccessMessages"] + cryptography),
  tests("AccessMessages", ["Octets", "JSON", "Documents", "JOSE", "FIDOUAF", "AccessMessages"]),
  tests("QRCode", ["Octets", "QRCode"]),
  tests("HTTPSTransport", ["AccessMessages", "HTTPSTransport"] + cryptography + httpServer + certificates),
  tests(
    "MobileAuthentication",
    [
      "Octets", "JSON", "Documents", "JOSE", "FIDOUAF", "AccessMessages", "DeviceAuthentication",
      "MobileAuthentication",
    ] + cryptography),
  tests(
    "WalletAccess",
    [
      "Octets", "JSON", "Documents", "JOSE", "FIDOUAF", "AccessMessages", "DeviceAuthentication",
      "MobileAuthentication", "WalletAccess",
    ]),
  tests(
    "AccessServer",
    [
      "Octets", "Ciphers", "ISO7816", "JSON", "Documents", "EMVData", "EMVCryptography", "EMVCard", "EMVIssuer", "JOSE",
      "FIDOUAF", "RelyingParty", "AccessMessages", "QRCode", "HTTPSTransport", "ServerStore", "ServerShell",
      "OperatorPages",
      "AccessServer", "ScriptedClient", "tap-server",
      nio, access("NIOEmbedded", from: "swift-nio"), tls, metrics,
    ] + cryptography),
  // The contract of the store, and servers on one database.
  tests(
    "ServerStore",
    [
      "Octets", "JSON", "Documents", "JOSE", "FIDOUAF", "AccessMessages", "HTTPSTransport", "ServerStore",
      "ServerShell", "AccessServer", "ScriptedClient", "access-exercise", "tap-server", database,
    ]),
  // Test machinery: a client that goes through every operation of a server.
  .target(
    name: "ScriptedClient",
    dependencies: ["Octets", "JSON", "Documents", "JOSE", "FIDOUAF", "AccessMessages", "ServerShell", "AccessServer"]
      + cryptography,
    path: "Tests/ScriptedClient"),
  // Test machinery: KilledStoreTests runs and kills it.
  .executableTarget(
    name: "access-exercise",
    dependencies: [
      "AccessMessages", "ServerStore", "AccessServer", "ScriptedClient", "Fixtures", database, arguments,
    ],
    path: "Tests/AccessExercise"),
  // Client and server, and both programs.
  tests(
    "Access",
    [
      "Octets", "JSON", "Documents", "JOSE", "FIDOUAF", "AccessMessages", "QRCode", "HTTPSTransport",
      "MobileAuthentication", "DeviceAuthentication", "WalletAccess", "CardProvisioning",
      "ContactlessPayment",
      "ServerStore", "ServerShell", "OperatorPages", "AccessServer", "ProgramSupport", "tap-authorize", "tap-server",
      "tap-wallet",
      "tap", "tap-nfc",
      tls,
    ]),
  tests(
    "Tap",
    everything + [
      "ProgramSupport", arguments, "PaymentSupport", "tap", "tap-device", "tap-nfc", "wallet-exercise",
      "every-instruction",
    ]),
]

// What is measured, and beside what: tools/Benchmarks/README.md.
func measured(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: "tools/Benchmarks/\(name)")
}

// A reference is compiled as C programs usually are.
func reference(_ name: String, flags: [String] = [], _ library: String? = nil) -> Target {
  .target(
    name: name, path: "tools/Benchmarks/\(name)", cSettings: [.unsafeFlags(["-O2"] + flags)],
    linkerSettings: library.map { [.linkedLibrary($0)] } ?? [])
}

let benchmarks: [Target] = [
  .target(name: "CAllocationCounter", path: "tools/Benchmarks/CAllocationCounter"),
  .target(name: "CFlushControl", path: "tools/Benchmarks/CFlushControl"),
  .target(name: "CHeapSize", path: "tools/Benchmarks/CHeapSize"),
  .target(name: "CInstructionCounter", path: "tools/Benchmarks/CInstructionCounter"),
  reference("CPlainCard"),
  reference("CPlainParts", "nettle"),
  reference("CPlainReader", flags: ["-I/usr/include/PCSC"], "pcsclite"),
  .target(
    name: "InstructionCounting", dependencies: ["CInstructionCounter"], path: "tools/Benchmarks/InstructionCounting"),
  // Other libraries that do the same work.
  .target(name: "Peers", path: "tools/Benchmarks/Peers"),
  .target(
    name: "MeasuredSession",
    dependencies: ["ContactlessPayment", "DeviceAuthentication", "EMVCard", "EMVIssuer", "Links", "Octets"],
    path: "tools/Benchmarks/MeasuredSession"),
  measured(
    "allocations",
    [
      "CAllocationCounter", "MeasuredSession", "EMVCard", "EMVTerminal", "ISO7816", "Links", "Octets", "PCSCReader",
      "PaymentAcceptance", "TapLatency", "VirtualCard",
    ]),
  measured(
    "transmit", ["CPlainReader", "Peers", "ISO7816", "Links", "Octets", "PCSCReader", "VirtualCard"]),
  measured(
    "dispatch",
    [
      "CInstructionCounter", "CPlainCard", "InstructionCounting", "MeasuredSession", "EMVCard", "ISO7816", "Links",
      "Octets",
    ]),
  measured("transcripts", ["Octets", "Transcripts"]),
  measured(
    "sessions",
    [
      "CHeapSize", "CInstructionCounter", "InstructionCounting", "MeasuredSession", "ContactlessPayment", "EMVCard",
      "ISO7816", "Links", "Octets",
    ]),
  measured(
    "latency",
    [
      "MeasuredSession", "Peers", "ContactlessPayment", "DeviceAuthentication", "EMVCard", "EMVIssuer", "EMVTerminal",
      "ISO7816", "Links", "Octets", "PaymentAcceptance", "PaymentSimulation", "TapLatency", "Transcripts",
    ]),
  measured(
    "parts",
    [
      "CPlainParts", "InstructionCounting", "MeasuredSession", "EMVCard", "EMVData", "EMVTerminal", "ISO7816", "Links",
      "Octets",
    ]),
  measured(
    "access",
    [
      "CFlushControl", "ScriptedClient", "Octets", "JSON", "FIDOUAF", "AccessMessages", "ServerStore",
      "ServerShell", "AccessServer", "DeviceAuthentication", "DeviceLink", "HTTPSTransport", database,
    ] + cryptography),
]

// What people use: a library for each purpose, with an article. A target may be in several of them.
let libraries: [(name: String, targets: [String])] = [
  (
    "ContactlessWallet",
    [
      "Octets", "Links", "DeviceAuthentication", "DeviceLink", "EMVCard", "ContactlessPayment",
      "WalletDatabase",
    ]
  ),
  ("ContactlessTerminal", ["Octets", "Links", "EMVTerminal", "Transcripts", "PaymentAcceptance"]),
  (
    "ContactlessReaders",
    ["Links", "CardEmulation", "PCSCReader", "NFCReader", "VirtualCard", "ReaderKinds"]
  ),
  (
    "ContactlessCards",
    ["ISO7816", "EMVData", "EMVDecoding", "EMVCryptography", "EMVCard", "EMVTerminal", "EMVIssuer"]
  ),
  (
    "ContactlessLab",
    [
      "CardFaults", "PaymentSimulation", "TapScenarios", "TapLatency", "LinkTiming", "TapReports", "RecordingFormats",
      "CardExploration",
      "ProfileAuthoring", "ReaderSimulator", "USBSimulator", "Transcripts",
    ]
  ),
  (
    "MobileAuthentication",
    [
      "JOSE", "FIDOUAF", "AccessMessages", "HTTPSTransport", "DeviceAuthentication",
      "MobileAuthentication",
    ]
  ),
  (
    "WalletAccess",
    ["AccessMessages", "HTTPSTransport", "MobileAuthentication", "WalletAccess", "CardProvisioning", "QRCode"]
  ),
  ("AccessServer", ["AccessMessages", "ServerStore", "ServerShell", "AccessServer"]),
  (
    "ContactlessBytes", ["Octets", "POSIX", "Ciphers", "ISO7816", "JSON", "Documents", "DisplayText", "ProcessGuard"]
  ),
]

let environment = Context.environment
let isTested = environment["CONTACTLESS_TESTS"] != nil || environment["CONTACTLESS_ONLY"] != nil

let package = Package(
  name: "contactless",
  products: libraries.map { .library(name: $0.name, targets: $0.targets) } + [
    .executable(name: "tap", targets: ["tap"]),
    .executable(name: "tap-authorize", targets: ["tap-authorize"]),
    .executable(name: "tap-device", targets: ["tap-device"]),
    .executable(name: "tap-nfc", targets: ["tap-nfc"]),
    .executable(name: "tap-server", targets: ["tap-server"]),
    .executable(name: "tap-wallet", targets: ["tap-wallet"]),
    .library(name: "IFDSimulatedChip", type: .dynamic, targets: ["IFDSimulatedChip"]),
  ],
  traits: [
    .default(enabledTraits: ["Access", "PCSC", "LibNFC", "LinuxDevice"]),
    .trait(
      name: "Access", description: "The packages of client and server of the access wing: TLS, HTTP, cryptography."),
    .trait(name: "PCSC", description: "Real readers through libpcsclite (PCSCReader)."),
    .trait(name: "LibNFC", description: "NFC chips through libnfc (tap-nfc)."),
    .trait(
      name: "DebugFlavour", description: "For tests only: unverified certificates, no device lock, software keys."),
    .trait(name: "LinuxDevice", description: "The device of a Linux machine: PAM, fprintd, TPM 2.0 (tap-device)."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: system + bytes + emv + device + readers + payment + lab + fido + access + server + programs
    + (isTested ? proofs + benchmarks : []),
  // As the packages of others have it, so that all C++ can share a precompiled header.
  cxxLanguageStandard: .cxx17
)

if let names = environment["CONTACTLESS_ONLY"] {
  package.keep(package.needed(by: names.split(separator: " ").map(String.init)))
}

if let names = environment["CONTACTLESS_OPTIMISED"] {
  let optimised = package.needed(by: names.split(separator: " ").map(String.init))
  for target in package.targets where optimised.contains(target.name) && target.type != .system {
    // The frontend takes these after the options of the build. For -O alone swiftc would add the second one by itself.
    let optimisation = SwiftSetting.unsafeFlags(["-Xfrontend", "-O", "-Xfrontend", "-enable-default-cmo"])
    target.swiftSettings = (target.swiftSettings ?? []) + [optimisation]
  }
}

extension Package {
  /// These targets, and those that they need.
  func needed(by roots: [String]) -> Set<String> {
    let needed = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0.dependencies.compactMap(\.targetName)) })
    var (found, open): (Set<String>, [String]) = ([], roots)
    while let name = open.popLast() {
      if needed[name] != nil, found.insert(name).inserted { open += needed[name] ?? [] }
    }
    return found
  }

  /// Removes every other target, with its products and the packages that only removed targets need.
  func keep(_ kept: Set<String>) {
    targets.removeAll { !kept.contains($0.name) }
    products.removeAll { product in
      let targets = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
      return !kept.isSuperset(of: targets)
    }
    let packages = Set(targets.flatMap(\.dependencies).compactMap(\.packageName))
    dependencies.removeAll { dependency in
      guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
      return !packages.contains { location.hasSuffix("/" + $0) }
    }
  }
}

extension Target.Dependency {
  /// The name, if this is a target of this package.
  var targetName: String? {
    switch self {
    case .targetItem(let name, _), .byNameItem(let name, _): name
    default: nil
    }
  }

  /// The name of the package, if this is a product of another package.
  var packageName: String? {
    if case .productItem(_, let package, _, _) = self { package } else { nil }
  }
}

for target in package.targets where target.type != .system {
  var settings = target.swiftSettings ?? []
  settings += [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
  ]
  if target.path?.hasPrefix("Sources/") == true { settings.append(.strictMemorySafety()) }
  // Only the byte core declares types and functions that return spans.
  if ["Octets", "ISO7816"].contains(target.name) { settings.append(.enableExperimentalFeature("Lifetimes")) }
  target.swiftSettings = settings
}
