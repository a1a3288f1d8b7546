import Links
import NFCReader
import Octets
import ReaderSimulator
import TestSupport
import USBSimulator

/// Which simulated USB readers a contract is checked at, and their limits.
protocol USBChipRow {
  /// The readers: the first one is the terminal, and the second one presents a card.
  static var files: [String] { get }
  static var longestCommand: Int { get }
  static var longestResponse: Int { get }
  static var terminalExchangeCount: Int { get }
}

/// An SCL3711 under libnfc's driver pn53x_usb.
enum SCL3711Row: USBChipRow {
  static let files = ["scm-scl3711", "acr122u-picc"]
  static let longestCommand = NFCDevice.maximumCommandCount
  static let longestResponse = NFCDevice.maximumResponseCount
  static let terminalExchangeCount = 6
}

/// An ACR122U under libnfc's driver acr122_usb, whose messages have 255 bytes.
enum ACR122Row: USBChipRow {
  static let files = ["acr122u-picc", "acr122u-picc"]
  static let longestCommand = 252
  static let longestResponse = 250
  static let terminalExchangeCount = 4
}

/// Simulated USB readers under a driver of libnfc, for `ChipContract`.
final class USBChips<Row: USBChipRow>: ChipHarness {
  static var longestCommand: Int { Row.longestCommand }
  static var longestResponse: Int { Row.longestResponse }
  static var terminalExchangeCount: Int { Row.terminalExchangeCount }
  // The card is at an ACR122U, whose messages have 255 bytes.
  static var longestCardCommand: Int { 250 }
  static var longestCardResponse: Int { 252 }
  static var cardExchangeCount: Int { 4 }

  private let bench: ChipBench
  private let program: String

  private init(_ bench: ChipBench) throws {
    self.bench = bench
    program = try bench.atBus(NFCDevice.defaultProgram)
  }

  deinit { bench.end() }

  static func plug(
    _ layout: SimulatedField.Layout, timing: FieldTiming, faults: FieldFaultPlan, card: ScriptedResponder
  ) throws -> USBChips {
    let files = Array(Row.files.prefix(layout == .pair ? 2 : 1))
    return try USBChips(ChipBench(layout, files, timing: timing, faults: faults, card: card))
  }

  func open(_ chip: Int) throws -> NFCDevice { try NFCDevice(bench.connstrings[chip], program: program) }

  func setCoupled(_ isCoupled: Bool) { bench.field.setCoupled(isCoupled) }

  func vanish() { for reader in bench.readers { bench.bus.unplug(reader) } }

  func remove() {
    // A program at the bus aborts when the bus ends under it.
    vanish()
    bench.field.stop()
  }
}
