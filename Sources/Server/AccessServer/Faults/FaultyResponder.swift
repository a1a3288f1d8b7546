internal import AccessMessages
internal import Documents
internal import FIDOUAF
internal import Octets
public import ServerShell
internal import Synchronization

/// Commits the faults of a plan in front of another responder.
public final class FaultyResponder: AccessResponding {
  private let base: any AccessResponding
  private let rules: [FaultPlan.Rule]
  private let generator: Mutex<SplitMix64>
  private let announce: @Sendable (_ fault: String) -> Void
  private let wait: @Sendable (_ milliseconds: Int) async -> Void

  /// Creates a responder.
  ///
  /// - Parameters:
  ///   - base: Answers the requests that no fault befalls.
  ///   - plan: The faults.
  ///   - announce: Is told of each fault when it begins, such as "slow, 1500 ms: GET /app-versions/linux".
  ///   - wait: Waits before a slow response. A task that is cancelled waits no longer: its client is gone.
  public init(
    _ base: any AccessResponding, _ plan: FaultPlan, announce: @escaping @Sendable (_ fault: String) -> Void = { _ in },
    wait: @escaping @Sendable (_ milliseconds: Int) async -> Void = { try? await Task.sleep(for: .milliseconds($0)) }
  ) {
    self.base = base
    self.announce = announce
    self.wait = wait
    rules = plan.rules
    generator = Mutex(SplitMix64(seed: plan.seed))
  }

  /// Answers a request, or commits the first fault that befalls it.
  public func respond(to request: AccessRequest) async -> AccessResponse {
    guard let fault = fault(of: request) else { return await base.respond(to: request) }
    announce("\(fault): \(routeName(of: request) ?? RequestOutcome.unknownRoute)")
    switch fault {
    case .serverError: return AccessResponse(AccessFailure(.internalError, "a fault that the operator asked for"))
    case .slow(let milliseconds):
      await wait(milliseconds)
      return await base.respond(to: request)
    case .expiredToken: return Self.expired(request)
    case .cutConnection:
      var response = await base.respond(to: request)
      response.isCut = true
      return response
    }
  }

  /// The name of the route of a request at a service.
  public func routeName(of request: AccessRequest) -> String? { AccessService.nameOfRoute(request) }

  private func fault(of request: AccessRequest) -> FaultPlan.Kind? {
    generator.withLock { generator in
      let matching = rules.filter { request.target.hasPrefix($0.path) }
      // A number for each rule, so that the choice of one does not depend on the others.
      let hits = matching.map { Int.random(in: 0..<100, using: &generator) < $0.percent }
      return zip(matching, hits).first { $0.1 }?.0.kind
    }
  }

  private static func expired(_ request: AccessRequest) -> AccessResponse {
    guard UAFOperation.allCases.contains(where: { request.target.hasPrefix(AccessPath.redeem($0)) }) else {
      return AccessResponse(AccessFailure(.unauthorized, "the authorization has expired"))
    }
    return AccessResponse(200, ReturnUAFRequest(.requestTimeout).json, type: MediaType.uaf)
  }
}
