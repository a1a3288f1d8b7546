/// How an exchange is repeated after a failure of the network. An answer of the server is never repeated.
public enum NetworkRetryPolicy: Equatable, Sendable {
  /// The first failure ends the operation.
  case none
  /// Repeats with equal pauses.
  ///
  /// - Parameters:
  ///   - maxRetries: How often it is repeated, 0 or more.
  ///   - delay: The pause before each repetition.
  case constant(maxRetries: Int, delay: Duration)
  /// Repeats with growing pauses: each is the one before times `1 + multiplier`, up to the maximum.
  ///
  /// - Parameters:
  ///   - maxRetries: How often it is repeated, 0 or more.
  ///   - initialDelay: The first pause.
  ///   - maximumDelay: The longest pause.
  ///   - multiplier: The growth, 0 or more; 0.5 makes each pause longer by a half.
  case exponential(maxRetries: Int, initialDelay: Duration, maximumDelay: Duration, multiplier: Double)

  /// The pauses before the repetitions, in their order.
  var delays: [Duration] {
    switch self {
    case .none: return []
    case .constant(let count, let delay): return Array(repeating: max(delay, .zero), count: max(count, 0))
    case .exponential(let count, let initial, let maximum, let multiplier):
      var delays: [Duration] = []
      var next = min(max(initial, .zero), maximum)
      for _ in 0..<max(count, 0) {
        delays.append(next)
        // The pause stays below the maximum, so that the product cannot overflow.
        next = min(next * (1 + min(max(multiplier, 0), 1_000)), maximum)
      }
      return delays
    }
  }
}
