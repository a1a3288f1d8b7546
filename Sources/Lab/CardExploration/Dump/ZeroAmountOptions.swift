internal import EMVData
public import ISO7816
public import Octets

/// GET PROCESSING OPTIONS for an amount of zero, and what its response lists.
public enum ZeroAmountOptions {
  /// The command with the values that the PDOL asks for; unknown ones are zero.
  ///
  /// - Parameters:
  ///   - pdol: The PDOL as the card gave it; nil or malformed for an empty template 83.
  ///   - time: The local time, for tag 9A.
  public static func command(
    for pdol: [UInt8]?, at time: CalendarTime = CalendarTime(local: SystemWallClock().now)
  ) -> CommandAPDU {
    let list = pdol.flatMap { try? DataObjectList(parsing: $0) }
    let values = list?.values { value(of: $0, time) } ?? []
    let data = TLVNode(.commandTemplate, Array(values.prefix(250))).encoded
    guard
      let command = try? CommandAPDU(
        cla: 0x80, ins: Instruction.getProcessingOptions, p1: 0, p2: 0, data: data, expectedLength: 256, form: .short)
    else { preconditionFailure("at most 253 bytes fit a short command") }
    return command
  }

  /// What an attended shop in the euro area says of itself (tags of EMV 4.4 Book 3, annex A, and Book A, table 5-4).
  private static func value(of tag: Tag, _ time: CalendarTime) -> [UInt8]? {
    switch tag.rawValue {
    case 0x9F66: [0x36, 0x00, 0x40, 0x00]
    case 0x9F1A: [0x02, 0x76]
    case 0x5F2A: [0x09, 0x78]
    case 0x9A: TransactionDate(time)?.numeric
    case 0x9F35: [0x22]
    case 0x9F33: [0xE0, 0xF8, 0xC8]
    case 0x9F37: SystemRandomSource().octets(4)
    default: nil
    }
  }

  /// The AIP and the AFL of a response in format 1 (template 80) or 2 (template 77), as data objects.
  static func objects(_ data: [UInt8]) -> [TLVNode] {
    guard let template = (try? [TLVNode](parsing: data.span))?.first else { return [] }
    guard template.tag == .responseFormat1 else { return template.children }
    guard template.value.count >= 2 else { return [] }
    return [
      TLVNode(.applicationInterchangeProfile, Array(template.value.prefix(2))),
      TLVNode(.applicationFileLocator, Array(template.value.dropFirst(2))),
    ]
  }

  /// The list of records of a response; nil when it has none.
  static func locator(_ data: [UInt8]) -> ApplicationFileLocator? {
    objects(data).first(.applicationFileLocator).flatMap { try? ApplicationFileLocator(parsing: $0.value) }
  }
}
