public import AccessMessages

/// How the server behaves as the issuer of wallets.
public struct WalletConfiguration: Hashable, Sendable {
  /// How long single-use tokens are valid, in milliseconds.
  public struct Lifetimes: Hashable, Sendable {
    /// The nonce of an enrolment.
    public var nonce: Int64 = 300_000
    /// A question that waits for its answer.
    public var question: Int64 = 300_000
    /// The token for a new PIN or password.
    public var resetToken: Int64 = 300_000

    /// The default lifetimes.
    public init() {}
  }

  /// The questions of the issuer, and what it requires and allows.
  public var requirements: WalletRequirements
  /// How long single-use tokens are valid.
  public var lifetimes = Lifetimes()

  /// Creates a configuration: five questions, of which two must be answered.
  public init(requirements: WalletRequirements = .standard) { self.requirements = requirements }
}

extension WalletRequirements {
  /// The requirements of a server whose configuration states none.
  public static let standard = WalletRequirements(
    questions: [
      SecurityQuestion(id: "pet", text: "What was the name of your first pet?"),
      SecurityQuestion(id: "town", text: "In which town were you born?"),
      SecurityQuestion(id: "school", text: "What was the name of your first school?"),
      SecurityQuestion(id: "street", text: "In which street did you live as a child?"),
      SecurityQuestion(id: "book", text: "What was the first book that you bought?"),
    ], requiredAnswers: 2)
}
