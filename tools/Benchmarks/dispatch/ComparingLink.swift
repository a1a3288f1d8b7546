import EMVCard
import ISO7816
import Links
import Octets
import Synchronization

/// A link on whose thread the cards are compared. Its card belongs to a verified session that armed it.
final class ComparingLink: EmulationLink {
  /// What a comparison found.
  struct Result {
    var difference: String?
    var times: [[[Double]]] = []
  }

  private let image: CardImage
  private let counts: Bool
  private let outcome = Mutex<Result?>(nil)

  /// Creates a link.
  ///
  /// - Parameter counts: Whether instructions are counted; otherwise times are measured.
  init(_ image: CardImage, counts: Bool) {
    self.image = image
    self.counts = counts
  }

  /// The result; nil before the comparison has ended.
  var result: Result? { outcome.withLock { $0 } }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    responder.fieldChanged(.powered, at: SystemClock().now)
    var comparison = Comparison(image)
    var result = Result()
    result.difference = comparison.firstDifference(&responder)
    if counts {
      comparison.dumpCounts(&responder)
    } else {
      result.times = comparison.times(&responder, rounds: 25, iterations: 100_000)
    }
    outcome.withLock { $0 = result }
    responder.fieldChanged(.lost, at: SystemClock().now)
  }

  func stop() {}
}
