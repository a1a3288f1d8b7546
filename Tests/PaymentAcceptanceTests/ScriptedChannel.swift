import EMVData
import EMVTerminal
import Fixtures
import Foundation
import ISO7816
import Links
import Octets
import PaymentAcceptance
import Synchronization

/// A channel that gives one response after the other and moves the clock by as much as each took.
struct ScriptedChannel: CardChannel, ~Copyable {
  enum Answer {
    case octets([UInt8], microseconds: Int64 = 100)
    case failure(LinkError.Code)
  }

  let identity: CardIdentity
  let clock: ManualClock
  var answers: [Answer]
  var commands: [[UInt8]] = []
  var isClosed = false

  init(_ answers: [Answer], clock: ManualClock = ManualClock(), protocolName: String = "T=CL") {
    self.answers = answers
    self.clock = clock
    identity = CardIdentity(protocolName: protocolName)
  }

  mutating func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) throws(LinkError) -> Int {
    let index = commands.count
    commands.append(command.array)
    switch index < answers.count ? answers[index] : .failure(.cardRemoved) {
    case .octets(let octets, let microseconds):
      clock.advance(by: .microseconds(microseconds))
      response.copy(octets.span, to: 0)
      return octets.count
    case .failure(let code):
      clock.advance(by: .microseconds(7))
      throw LinkError(code, "the script says so")
    }
  }

  mutating func close() { isClosed = true }
}

/// A host that always says the same and keeps what it was asked.
final class FixedHost: AuthorizationHost {
  private let answer: AuthorizationResponse
  private let requests = Mutex<[AuthorizationRequest]>([])

  init(_ answer: AuthorizationResponse = .approved(code: "123456")) {
    self.answer = answer
  }

  var asked: [AuthorizationRequest] { requests.withLock { $0 } }

  func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse {
    requests.withLock { $0.append(request) }
    return answer
  }
}

/// The responses of a phone with a Visa card and one record: test numbers.
enum Script {
  static let directory = information(
    FileControlInformation.ppseName, [0xBF0C: "610C4F07A0000000031010870101"])
  static let application = information(
    hex("A0000000031010"), [0x50: "56495341", 0x9F38: "9F66049F02069F03069F1A0295055F2A029A039F3704"])
  static let options = template(
    0x77,
    [
      (0x82, "0040"), (0x94, "08010100"), (0x9F36, "002D"), (0x9F26, "5B3617315A36DABD"), (0x9F10, "06011203A00000"),
      (0x9F6C, "0080"), (0x5F34, "01"), (0x57, "4761739001010010D27122011234567890"), (0x9F6E, "23880000"),
    ])
  static let record = template(0x70, [(0x5F24, "271231")])
  static let whole = [directory, application, options, record]

  // swift-format-ignore: NeverUseForceTry
  static func hex(_ text: String) -> [UInt8] { try! [UInt8](hex: text) }

  // The values of constructed tags are written out: they are data objects already.
  static func template(_ tag: ISO7816.Tag, _ values: [(ISO7816.Tag, String)]) -> [UInt8] {
    TLVNode(tag, values.flatMap { TLVNode($0, hex($1)).encoded }).encoded + [0x90, 0x00]
  }

  static func information(_ name: [UInt8], _ proprietary: KeyValuePairs<ISO7816.Tag, String>) -> [UInt8] {
    let inner = proprietary.flatMap { TLVNode($0.key, hex($0.value)).encoded }
    return TLVNode(0x6F, TLVNode(0x84, name).encoded + TLVNode(0xA5, inner).encoded).encoded + [0x90, 0x00]
  }

  static func status(_ status: UInt16) -> [UInt8] { [UInt8(status >> 8), UInt8(status & 0xFF)] }

  static func request(
    _ configuration: TerminalConfiguration, amount: String = "12.34"
  ) throws -> PaymentRequest {
    // swift-format-ignore: NeverForceUnwrap
    PaymentRequest(
      amount: try Amount(amount, exponent: 2), currency: configuration.currency("EUR")!,
      date: TransactionDate(year: 2026, month: 11, day: 20)!, time: TransactionTime(hour: 9, minute: 5, second: 59)!)
  }

  static func configuration() throws -> TerminalConfiguration {
    try TerminalConfiguration(json: Fixtures.data("Terminals/attended-eur.json"))
  }
}
