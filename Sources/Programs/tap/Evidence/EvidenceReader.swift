import Links
import NFCReader
import Octets
import PCSCReader
import ProgramSupport
import ReaderKinds

/// The reader at which evidence is collected. Its functions block.
struct EvidenceReader: Sendable {
  /// The longest wait for a card before the caller looks whether the step was skipped.
  private static let slice = Duration.milliseconds(500)

  /// The word of the reader's address before the colon.
  let prefix: String
  /// The name behind the colon. For PC/SC it is that of the device, without the numbers that a reader gets anew when it is
  /// plugged in.
  let name: String
  /// The full names of the slots of a PC/SC reader; empty for another one.
  let slots: [String]
  let base: any CardReader

  /// - Parameters:
  ///   - name: A part of the name of a PC/SC reader is enough; an empty one stands for the only reader.
  /// - Throws: `LinkError` when no reader or several readers have the name.
  init(_ kind: ReaderKind, _ name: String) throws(LinkError) {
    prefix = kind.prefix
    let isListed = kind.prefix != "nfc"
    slots = isListed ? try PCSCService.readers(matching: name).slots : []
    self.name = isListed ? try Self.stableName(of: slots) : name
    base = AttendedReader(kind.reader(self.name) { _ in }, isSilent: true)
  }

  /// The name of a device without the numbers of device and slot, when only one device has it.
  private static func stableName(of slots: [String]) throws(LinkError) -> String {
    let names = try PCSCService.readers().map(\.name)
    let selection = try PCSCReaderSelection(matching: slots[0], among: slots)
    guard slots.count > 1 || (try? PCSCReaderSelection(matching: selection.deviceName, among: names)) != nil else {
      return slots[0]
    }
    return selection.deviceName
  }

  /// Whether the reader is connected.
  var isConnected: Bool {
    get throws(LinkError) {
      guard prefix != "nfc" else { return Self.isThere(Result { () throws(LinkError) in try base.check() }) }
      let (wanted, names) = (name.lowercased(), try PCSCService.readers().map(\.name))
      return names.contains { $0.lowercased().contains(wanted) }
    }
  }

  /// Whether the name has the number of the device at the USB bus, which is another one after it was plugged in again.
  var isNumbered: Bool { prefix == "nfc" && name.split(separator: ":").count == 3 && name.contains("_usb:") }

  /// The reader under its new number; nil while libnfc finds no device of its driver, or several.
  func renumbered() throws(LinkError) -> EvidenceReader? {
    let driver = name.prefix { $0 != ":" } + ":"
    let devices = try NFCDevice.connstrings().filter { $0.hasPrefix(driver) }
    guard let only = devices.first, devices.count == 1 else { return nil }
    return try EvidenceReader(.nfc, only)
  }

  private static func isThere(_ check: Result<Void, LinkError>) -> Bool {
    guard case .failure(let error) = check else { return true }
    return error.code != .readerUnavailable
  }

  /// Waits for a card and calls a function with it.
  ///
  /// - Parameters:
  ///   - limit: The longest wait for the card.
  ///   - awaited: The errors after which the wait goes on: a reader that is not there yet, a card that has only passed.
  ///   - isSkipped: Looked at twice a second; a card that is there is visited all the same.
  /// - Returns: What the function returned; nil when the wait was skipped.
  /// - Throws: `LinkError`: `.timedOut` without a card, and what the function threw.
  func visit<Value>(
    within limit: Duration, after awaited: Set<LinkError.Code> = [], unless isSkipped: () -> Bool = { false },
    _ work: @escaping (CardIdentity, CommandTransmission) throws(LinkError) -> Value
  ) throws(LinkError) -> Value? {
    let end = SystemClock().now + limit
    while true {
      do throws(LinkError) {
        return try attempt(work)
      } catch {
        guard awaited.union([.timedOut]).contains(error.code), SystemClock().now < end else { throw error }
        if isSkipped() { return nil }
        pause(for: .milliseconds(20))
      }
    }
  }

  private func attempt<Value>(
    _ work: @escaping (CardIdentity, CommandTransmission) throws(LinkError) -> Value
  ) throws(LinkError) -> Value {
    let opened = try base.open(timeout: Self.slice)
    defer { opened.restore?() }
    var (field, visitor) = (opened.field, EvidenceVisitor(work))
    try field.nextCard(after: .zero, timeout: Self.slice, &visitor)
    guard let result = visitor.result else {
      throw LinkError(.timedOut, "no card came to \(opened.name) within \(Self.slice.text)")
    }
    return try result.get()
  }

  /// Whether no card is at the reader. A chip is asked to search for one.
  var isEmpty: Bool {
    get throws(LinkError) {
      if prefix == "pcsc" { return try PCSCService.readers().allSatisfy { !slots.contains($0.name) || $0.card == nil } }
      do throws(LinkError) {
        return try attempt { (_, _) throws(LinkError) in false }
      } catch {
        guard error.code == .timedOut else { throw error }
        return true
      }
    }
  }
}
