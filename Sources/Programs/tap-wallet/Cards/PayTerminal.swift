import AccessMessages
import EMVData
import EMVTerminal
import HTTPSTransport
import ISO7816
import Links
import PaymentAcceptance
import PaymentSimulation
import ProgramSupport
import ReaderKinds
import Synchronization

/// The terminal of `--link loopback`: the shipped terminal for every card, whose payment the issuer of the wallet authorises.
struct PayTerminal: Sendable {
  /// The name of the terminal in a journal.
  static let name = "terminal"

  private let terminal: PaymentAcceptance
  private let request: PaymentRequest
  private let results: AsyncStream<PaymentResult?>
  private let continuation: AsyncStream<PaymentResult?>.Continuation
  private let host: IssuerHost

  init(issuer: TerminalIssuer, amount: String, currency: String) throws {
    let configuration = try Self.configuration()
    host = IssuerHost(issuer)
    terminal = PaymentAcceptance(configuration: configuration, host: host)
    request = try PaymentOrder(amount: amount, currency: currency).request(at: configuration)
    (results, continuation) = AsyncStream.makeStream()
  }

  private static func configuration() throws -> TerminalConfiguration {
    try TerminalConfiguration(json: PackageResources.all_kernels_json)
  }

  /// The letters of the currencies that it takes.
  static var currencies: [String] { (try? configuration())?.currencies.map(\.alphabeticCode) ?? [] }

  /// The place where the card is presented, once.
  var device: LinkDevice {
    .ready {
      terminal.loopback(for: request) { result in
        continuation.yield(result)
        continuation.finish()
      }
    }
  }

  /// Whether the issuer was reached for every request.
  var isIssuerReached: Bool { !host.missed.load(ordering: .acquiring) }

  /// Waits for the result of a payment whose card was presented; nil when the terminal saw no card.
  var result: PaymentResult? {
    get async {
      for await result in results { return result }
      return nil
    }
  }
}

/// The issuer of the wallet as the host of a terminal.
private final class IssuerHost: AuthorizationHost {
  private let issuer: TerminalIssuer
  /// Whether the issuer was not reached for a request.
  let missed = Atomic(false)

  init(_ issuer: TerminalIssuer) { self.issuer = issuer }

  /// Asks the issuer. Blocks the thread of the terminal for at most the time limit of the exchange.
  func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse {
    let body = PaymentAuthorizationRequest(
      accountNumber: request.accountNumber.exposedDigits,
      elements: Dictionary(request.elements.map { ("\($0.tag)", $0.value) }) { first, _ in first })
    let answer = WaitableState<AuthorizationResponse?>(nil)
    Task {
      do {
        let response = AuthorizationResponse(try await issuer.authorize(body))
        answer.update { $0 = response }
      } catch {
        let failure = CommandFailure(any: error)
        if failure.exit == .notReached { missed.store(true, ordering: .releasing) }
        answer.update { $0 = .unknownCard(reason: failure.message) }
      }
    }
    return answer.wait { $0 } ?? .unknownCard(reason: "the issuer gave no answer")
  }
}

extension AuthorizationResponse {
  init(_ answer: PaymentAuthorization) {
    let reason = answer.reason ?? "the issuer gives no reason"
    let decision: Decision =
      switch answer.decision {
      case .approved: .approved(code: answer.authorizationCode ?? "000000")
      case .declined: .declined(reason: reason)
      case .unknownCard: .unknownCard(reason: reason)
      }
    self.init(
      decision,
      issuerData: IssuerData(
        responseCode: Array(answer.responseCode.utf8), authenticationData: answer.authenticationData,
        scripts: answer.scripts))
  }
}
