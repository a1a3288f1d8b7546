internal import EMVData
internal import Octets

/// Bytes that a kernel keeps from one payment to the next, such as a log of torn transactions. Only the kernel reads
/// them; Entry Point hands them back to its caller, which stores them under the kernel's identifier.
public struct KernelMemory: Hashable, Sendable {
  /// The kernel's own encoding; empty at first.
  public var octets: [UInt8]

  /// Creates a memory.
  public init(octets: [UInt8] = []) { self.octets = octets }
}

/// The terminal as a running kernel sees it. Entry Point owns it and passes it to every call of the machine.
public struct KernelTerminal: Sendable {
  /// The payment that the till asks for.
  public let request: PaymentRequest
  /// The terminal's data elements for this payment. Tag 9F37 is among them.
  public var data: TerminalData
  /// What the kernel keeps between payments.
  public var memory: KernelMemory
  // The keys for offline data authentication.
  let authorities: CertificationAuthorities
  // What the terminal remembers of cards; nil for a terminal without a log.
  let log: TerminalLog?
  // What the terminal found out about cards in this payment.
  var findings: TerminalFindings
  /// How long the last exchange took, from the first byte of the command to the last byte of the response.
  public internal(set) var elapsed = Duration.zero
  /// The phase of the command that was sent last.
  public internal(set) var phase = TransactionPhase.selectApplication
  let random: any RandomSource

  /// Whether the terminal is an ATM: of type 14, 15 or 16, and pays out cash (EMV 4.4 Book 4, annex A1). Kernel 4 adds bits
  /// to the type.
  var isATM: Bool {
    let (type, services) = (data[.terminalType]?.first ?? 0, data[.additionalTerminalCapabilities]?.first ?? 0)
    return [0x14, 0x15, 0x16].contains(type & 0x37) && services & 0x80 != 0
  }

  /// Writes four random bytes into tag 9F37.
  ///
  /// A recording holds all bytes that were drawn, in order. The places at which a kernel draws are therefore part of
  /// its behaviour: a kernel that draws at another place does not replay older recordings.
  public mutating func drawUnpredictableNumber() { data[.unpredictableNumber] = random.unpredictableNumber() }

  /// Returns a random number for the random selection, 1...99. A recording holds its four bytes like those of tag 9F37.
  func drawPercentage() -> Int {
    Int(random.unpredictableNumber().reduce(UInt32(0)) { $0 << 8 | UInt32($1) } % 99) + 1
  }
}

extension RandomSource {
  // Tag 9F37 has four bytes (EMV 4.4 Book 3, annex A1).
  func unpredictableNumber() -> [UInt8] {
    let number = octets(4)
    precondition(number.count == 4, "an unpredictable number has 4 bytes; the random source returned \(number.count)")
    return number
  }
}

extension KernelTerminal {
  /// What the log holds of a card; in a replay, what the log of the recorded terminal held. Nil without either.
  mutating func logged(_ number: PrimaryAccountNumber) -> TerminalLog.Entry? {
    if let entry = findings.log.take() { return entry }
    guard let log else { return nil }
    let entry = TerminalLog.Entry(
      lastAmount: log.lastAmount(of: number, request.currency), isExcepted: log.isExcepted(number))
    findings.log.keep(entry)
    return entry
  }
}
