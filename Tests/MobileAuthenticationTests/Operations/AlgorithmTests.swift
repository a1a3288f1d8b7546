import AccessMessages
import FIDOUAF
import Octets
import Testing

@testable import MobileAuthentication

/// Which algorithm a new key gets.
struct AlgorithmTests {
  /// A policy without AAIDs, which names algorithms.
  private static func policy(_ algorithms: [SignatureAlgorithm]) -> Policy {
    var criteria = MatchCriteria()
    criteria.authenticationAlgorithms = algorithms.map(\.rawValue)
    criteria.assertionSchemes = [EncodedAssertion.scheme]
    return Policy(accepted: [[criteria]])
  }

  private static func algorithm(
    _ profile: AuthenticatorProfile, _ version: String?, _ policy: Policy
  ) async throws -> AuthenticatorAlgorithm? {
    let stage = try ClientStage()
    let client = try await stage.client { configuration in
      configuration.profile = profile
      configuration.serverVersion = version.flatMap { DottedVersion($0) }
    }
    let compliant = client.compliant(policy, among: await client.authenticators(), [])
    return compliant[profile.aaid(of: .pin)]
  }

  @Test(arguments: [
    (AuthenticatorProfile.android, "7.2405.3", AuthenticatorAlgorithm.rsa), (.android, "7.2410.999", .rsa),
    (.android, "7.2411", .ecdsa), (.android, "7.2411.0.1", .ecdsa), (.ios, "7.2405", .ecdsa),
  ])
  func `RSA keys are made for Android authenticators at servers before version 7 2411`(
    profile: AuthenticatorProfile, version: String, expected: AuthenticatorAlgorithm
  ) async throws {
    let policy = Policy(accepted: [[MatchCriteria(aaid: profile.aaid(of: .pin))]])
    #expect(try await Self.algorithm(profile, version, policy) == expected)
  }

  @Test func `a policy that names RSA only gets RSA keys from a newest client, and none from iOS authenticators`()
    async throws
  {
    let (rsa, both) = (
      [SignatureAlgorithm.rsaPKCS1WithSHA256DER], [SignatureAlgorithm.rsaPKCS1WithSHA256DER, .p256ECDSAWithSHA256DER]
    )
    #expect(try await Self.algorithm(.android, nil, Self.policy(rsa)) == .rsa)
    #expect(try await Self.algorithm(.android, nil, Self.policy(both)) == .ecdsa)
    #expect(try await Self.algorithm(.ios, nil, Self.policy(rsa)) == nil)
    #expect(try await Self.algorithm(.android, "7.1", Self.policy([.p256ECDSAWithSHA256DER])) == nil)
  }
}
