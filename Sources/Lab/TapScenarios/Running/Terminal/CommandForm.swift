internal import ISO7816
internal import Octets
internal import PaymentAcceptance

/// The header and the lengths that a command of a payment must have.
///
/// EMV 4.4 Book 1, 11.3.2 (SELECT); Book 3, 6.5.4 (EXTERNAL AUTHENTICATE), 6.5.5 (GENERATE AC), 6.5.8 (GET PROCESSING
/// OPTIONS), 6.5.11 (READ RECORD). COMPUTE CRYPTOGRAPHIC CHECKSUM, EXCHANGE RELAY RESISTANCE DATA and RECOVER AC: as
/// recorded.
struct CommandForm {
  private struct Shape {
    let classByte: UInt8
    /// P1, then P2: the value where the mask has ones.
    let parameters: [(value: UInt8, mask: UInt8)]
    let hasData: Bool
    /// Whether the command has an Le, which is 00.
    var hasExpectedLength = true
  }

  private let exchange: Exchange

  init(_ exchange: Exchange) { self.exchange = exchange }

  private static func shape(of name: String) -> Shape? {
    let zero: (value: UInt8, mask: UInt8) = (0x00, 0xFF)
    return switch name {
    case "SELECT PPSE": Shape(classByte: 0x00, parameters: [(0x04, 0xFF), zero], hasData: true)
    // The next occurrence has P2 02.
    case "SELECT AID": Shape(classByte: 0x00, parameters: [(0x04, 0xFF), (0x00, 0xFD)], hasData: true)
    case "GET PROCESSING OPTIONS": Shape(classByte: 0x80, parameters: [zero, zero], hasData: true)
    case "READ RECORD": Shape(classByte: 0x00, parameters: [(0x00, 0x00), (0x04, 0x07)], hasData: false)
    // Bits 8 and 7 are the type, bits 5 and 4 ask for a signature.
    case "GENERATE AC", "second GENERATE AC":
      Shape(classByte: 0x80, parameters: [(0x00, 0x27), zero], hasData: true)
    case "COMPUTE CRYPTOGRAPHIC CHECKSUM":
      Shape(classByte: 0x80, parameters: [(0x8E, 0xFF), (0x80, 0xFF)], hasData: true)
    case "EXCHANGE RELAY RESISTANCE DATA": Shape(classByte: 0x80, parameters: [zero, zero], hasData: true)
    case "EXTERNAL AUTHENTICATE":
      Shape(classByte: 0x00, parameters: [zero, zero], hasData: true, hasExpectedLength: false)
    case "RECOVER AC": Shape(classByte: 0x80, parameters: [zero, zero], hasData: true)
    default: nil
    }
  }

  /// A failure for each part that is wrong: class, P1-P2, Lc, Le. The bytes of the data are not judged.
  var failures: [ScenarioFailure] {
    let command = exchange.command
    guard let shape = Self.shape(of: exchange.name), command.count >= 4 else { return [] }
    let parameters = Array(command[2...3])
    let wanted = zip(parameters, shape.parameters).map { $0 & ~$1.mask | $1.value }
    return [
      command[0] == shape.classByte
        ? nil : failure("class", [shape.classByte].hex, [command[0]].hex),
      parameters == wanted ? nil : failure("P1-P2", wanted.hex, parameters.hex),
      lengthFailure(shape, command),
    ].compactMap { $0 }
  }

  private func lengthFailure(_ shape: Shape, _ command: [UInt8]) -> ScenarioFailure? {
    guard let layout = try? CommandLayout(parsing: command.span) else {
      return failure(
        "Lc", "the number of data bytes", "\(command.count.bytes) that have none of the forms of a command")
    }
    if shape.hasData != (layout.dataCount > 0) {
      return failure("Lc", shape.hasData ? "data" : "no data", layout.dataCount.bytes)
    }
    guard layout.expectedLength != (shape.hasExpectedLength ? 256 : 0) else { return nil }
    let found = layout.expectedLength == 0 ? "no Le" : [UInt8(truncatingIfNeeded: layout.expectedLength)].hex
    return failure("Le", shape.hasExpectedLength ? "00" : "no Le", found)
  }

  private func failure(_ part: String, _ wanted: String, _ found: String) -> ScenarioFailure {
    ScenarioFailure(exchange, "\(part) of \(exchange.name)", wanted, found)
  }
}
