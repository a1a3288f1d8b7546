internal import EMVData
internal import EMVDecoding
internal import ISO7816
internal import Octets

/// Joins a response that came in parts (61xx and GET RESPONSE), so that it can be redacted as a whole.
struct ResponseInParts {
  private struct Open {
    let command: [UInt8]
    var places: [RedactionUnit.Place] = []
    var data: [UInt8] = []
  }

  private var open: Open?

  /// Adds a response; returns the responses that are whole now.
  mutating func add(
    _ response: [UInt8], to command: [UInt8], at exchange: Int, _ context: DecodingContext
  ) -> [RedactionUnit] {
    let isContinuation = open != nil && command.count >= 4 && command[1] == Instruction.getResponse
    var units = isContinuation ? [] : flush(context)
    var joined = open ?? Open(command: command)
    let status = Self.status(response)
    let data = response.dropLast(status == nil ? 0 : 2)
    joined.places.append(RedactionUnit.Place(exchange: exchange, isResponse: true, count: data.count))
    joined.data += data
    open = joined
    if case .bytesRemaining? = status?.meaning { return units }
    units += flush(context, status)
    return units
  }

  /// Returns the last response, whole or not.
  mutating func flush(_ context: DecodingContext, _ status: StatusWord? = .ok) -> [RedactionUnit] {
    guard let joined = open else { return [] }
    open = nil
    let whole = joined.data + (status.map { ResponseAPDU(status: $0).encoded } ?? [])
    let node = context.structure(ofResponse: whole, to: joined.command)
    let application = context.application(after: joined.command, whole) ?? InferredApplication.of(node, in: whole)
    return [
      RedactionUnit(
        places: joined.places, octets: whole, node: node, instruction: joined.command.dropFirst().first,
        application: application,
        isOfReader: joined.command.starts(with: [0xFF, Instruction.getData]))
    ]
  }

  // SW1 is 61 to 6F or 90 to 9F. Without such a byte the recorded response is incomplete, and all bytes are data.
  private static func status(_ response: [UInt8]) -> StatusWord? {
    guard let parsed = try? ResponseAPDU(parsing: response.span), [0x6, 0x9].contains(parsed.status.rawValue >> 12)
    else { return nil }
    return parsed.status
  }
}

extension DecodingContext {
  /// The application for the data elements of a response: the one that the response to SELECT names.
  func application(after command: [UInt8], _ response: [UInt8]) -> AID? {
    guard command.dropFirst().first == Instruction.select else { return application }
    var named = self
    named.learn(command: command, response: response)
    return named.application ?? application
  }
}
