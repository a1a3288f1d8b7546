internal import ISO7816
internal import Octets

/// A command without its data.
struct CardCommand {
  /// CLA and INS.
  let code: UInt16
  /// P1-P2.
  let parameters: UInt16
  /// Ne, the most bytes of data in the response.
  let limit: Int

  init(_ command: Span<UInt8>, _ layout: CommandLayout) {
    code = command.integer(at: 0, as: UInt16.self)
    parameters = command.integer(at: 2, as: UInt16.self)
    limit = layout.expectedLength
  }

  var instruction: UInt8 { UInt8(truncatingIfNeeded: code) }
  var p1: UInt8 { UInt8(parameters >> 8) }
  var p2: UInt8 { UInt8(truncatingIfNeeded: parameters) }
  /// Whether the class is another one than 00 and 80: a script, or unknown.
  var isScript: Bool { code & 0x7F00 != 0 }
  /// CLA and INS with the other one of the classes 00 and 80.
  var codeOfOtherClass: UInt16 { code ^ 0x8000 }
}
