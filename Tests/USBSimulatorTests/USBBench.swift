import Foundation
import Links
import TestSupport
import Testing
import USBSimulator
import VirtualCard

/// All tests with a pcscd at a simulated USB bus, one after the other: each starts programs that need a processor.
@Suite(.blocks, .serialized, .timeLimit(.minutes(10)))
struct USBReaderTests {}

/// A bus, and an unmodified pcscd with libccid that drives its readers.
final class USBBench: Sendable {
  let bus: SimulatedUSBBus
  let service: PrivateReaderService

  init() throws {
    bus = try SimulatedUSBBus()
    service = try PrivateReaderService(
      readers: [], variables: bus.environment.merging(["LIBCCID_ifdLogLevel": "0x000F"]) { $1 })
  }

  deinit {
    service.close()
    bus.close()
  }

  /// Plugs a reader in and waits until pcscd has opened its slots.
  ///
  /// - Returns: The names of the readers of the slots.
  @discardableResult
  func plug(_ device: SimulatedUSBDevice) throws -> [String] {
    let names = service.usbReaderNames.count
    let before = [Self.readiness, Self.waiting, Self.waits].map(count(of:))
    try bus.plug(device)
    let count = device.slotCount
    try wait("pcscd drives \(count) slots") { self.count(of: Self.readiness) >= before[0] + count }
    // libccid loses the notification of a slot for which it does not wait yet, when the reader has several.
    try wait("libccid waits for notifications") {
      self.count(of: Self.waits) - before[2] >= self.count(of: Self.waiting) - before[1]
    }
    return Array(service.usbReaderNames.dropFirst(names))
  }

  /// Puts the card of the contract into the first slot of a reader that is plugged in, and waits until pcscd has powered it.
  func insert(
    in device: SimulatedUSBDevice, journal: ResponderJournal = ResponderJournal()
  ) throws -> (link: any EmulationLink, thread: DedicatedThread<Void, LinkError>) {
    let powered = count(of: Self.power)
    let link = device.link()
    let thread = serving(link, ChannelContract.responder(journal: journal))
    try wait("pcscd powers the card") { self.count(of: Self.power) > powered }
    return (link, thread)
  }

  /// Unplugs a reader and waits until pcscd has released it.
  func unplug(_ device: SimulatedUSBDevice) throws {
    let removed = count(of: Self.removal)
    bus.unplug(device)
    let count = device.description.interfaces.count
    try wait("pcscd releases \(count) interfaces") { self.count(of: Self.removal) >= removed + count }
  }

  /// The reader or pcscd itself looks for cards.
  static let readiness = "RFAddReader() Using the "
  /// libccid waits for notifications of a slot, and does so now.
  static let (waiting, waits) = ("RFAddReader() Using the reader polling thread", "IFDHPolling()")
  static let power = "Card ATR: "
  static let removal = "Attempting shutdown of"

  /// What pcscd and libccid have logged.
  var log: String { service.log }

  func count(of text: String) -> Int { service.log.components(separatedBy: text).count - 1 }

  func wait(_ fact: String, limit: Duration = .seconds(120), until isTrue: () throws -> Bool) throws {
    let end = ContinuousClock.now + limit
    while try !isTrue() {
      try #require(ContinuousClock.now < end, "not in time: \(fact); the log of pcscd: \(service.log)")
      usleep(5000)
    }
  }

  /// Sends the commands of a file with scriptor. pcscd refuses to connect while it takes the power from an unused card: nothing
  /// was sent then, and scriptor runs again.
  func send(_ script: String, to reader: String) throws -> ProgramRun {
    for _ in 0..<20 {
      let run = try run("scriptor", "-r", reader, script)
      guard (run.output + run.errors).contains("Card protocol mismatch") else { return run }
    }
    return try run("scriptor", "-r", reader, script)
  }

  /// Runs a program of others at the pcscd.
  func run(_ program: String, _ arguments: String...) throws -> ProgramRun {
    let run = try ProgramRun(program, arguments, environment: service.environment)
    _ = try run.finish()
    return run
  }
}

extension SimulatedUSBDevice {
  /// A reader of libccid's list with this class descriptor.
  static func known(
    _ interfaces: [CCIDDescription] = [CCIDDescription()], release: UInt16 = 0x0100, hasInterrupts: [Bool] = []
  ) -> SimulatedUSBDevice {
    .reader(
      USBDescription(
        vendor: 0x072F, product: 0x223B, release: release, manufacturer: "ACS", name: "ACR1252 Dual Reader",
        interfaces: []),
      interfaces: interfaces, hasInterrupts: hasInterrupts)
  }
}
