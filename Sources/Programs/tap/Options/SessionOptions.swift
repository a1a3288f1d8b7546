import ArgumentParser
import ContactlessPayment
import Octets

/// The options of a payment session.
struct SessionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      How many times a terminal may leave before the payment is complete, and how many further uses may follow a first \
      cryptogram, 0...10; without it any number of times before a cryptogram, and one further use.
      """,
      valueName: "count"))
  var retryLimit: Int?
  @Option(
    help: ArgumentHelp(
      "How long a terminal that left may stay away, 500...10000 ms; 2000 when left out. Needs --retry-limit.",
      valueName: "ms"))
  var retryTimeout: Int?
  @Flag(help: "Present the card while its holder is verified: a terminal's first command waits for that, 5 s at most.")
  var hold = false
  @Option(
    help: ArgumentHelp(
      "What the wallet adds to tag 9F10 of a Mastercard application: 14 bytes at most, or stored for what the wallet keeps.",
      valueName: "hex|stored"))
  var walletData: String?

  func validate() throws {
    try require("--retry-limit", retryLimit, in: RetryPolicy.limits)
    try require(retryTimeout == nil || retryLimit != nil, "--retry-timeout needs --retry-limit.")
    try require("--retry-timeout", retryTimeout, in: 500...10_000)
    guard case .ephemeral(let octets)? = try terms().walletData else { return }
    let limit = WalletTransactionData.maximumCount
    try require(octets.count <= limit, "--wallet-data: \(octets.count.bytes): the limit is \(limit).")
  }

  /// Whether an option that only an armed card has is set.
  var isChanged: Bool { hold || retryLimit != nil || walletData != nil }

  /// The terms of the session.
  func terms() throws -> SessionTerms {
    var terms = SessionTerms(holdsCommands: hold)
    if let retryLimit {
      terms.limits.retries = try RetryPolicy(limit: retryLimit, timeout: .milliseconds(retryTimeout ?? 2000))
    }
    switch walletData {
    case "stored": terms.walletData = .stored
    case .some(let digits): terms.walletData = .ephemeral(try Self.octets(digits))
    case nil: break
    }
    return terms
  }

  private static func octets(_ digits: String) throws -> [UInt8] {
    do {
      return try [UInt8](hex: digits)
    } catch { throw ValidationError("--wallet-data: \(error)") }
  }
}
