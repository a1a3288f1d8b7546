import Links
import Octets
import Transcripts

/// A response, and the time from the command to it.
struct TimedResponse {
  let octets: [UInt8]
  let time: Duration

  /// The time in microseconds, rounded down.
  var microseconds: Int { Int(time.nanoseconds / 1_000) }
}

/// Sends a command to the card and waits for its response.
typealias CommandTransmission = ([UInt8]) throws(LinkError) -> TimedResponse

/// One visit of a card, at a channel of any kind.
struct EvidenceVisitor<Value>: CardVisitor {
  private let work: (CardIdentity, CommandTransmission) throws(LinkError) -> Value
  /// What the work returned or threw; nil before the visit.
  private(set) var result: Result<Value, LinkError>?

  init(_ work: @escaping (CardIdentity, CommandTransmission) throws(LinkError) -> Value) { self.work = work }

  mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) {
    do throws(LinkError) {
      let value = try work(channel.identity) { (command) throws(LinkError) in
        let recording = Recording(role: .terminal)
        let exchange = try recording.exchange(command, over: &channel, room: 65_538, clock: SystemClock())
        return TimedResponse(octets: exchange.response, time: exchange.time)
      }
      result = .success(value)
    } catch { result = .failure(error) }
  }
}
