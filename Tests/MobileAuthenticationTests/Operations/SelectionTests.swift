import DeviceAuthentication
import FIDOUAF
import Octets
import Testing

@testable import MobileAuthentication

struct SelectionTests {
  private struct Chooser: AuthenticatorSelector {
    let choice: AAID
    func selectAuthenticator(_ context: AuthenticatorSelection) async throws(InteractionCancelled) -> AAID { choice }
  }

  private static func select(_ choice: AuthenticatorKind) async throws -> AAID {
    let client = try await ClientStage().client()
    let profile = AuthenticatorProfile.ios
    let context = AuthenticatorSelection(
      purpose: .authentication, account: ClientStage.account,
      options: AuthenticatorKind.allCases.map { kind in
        AuthenticatorSelection.Option(
          aaid: profile.aaid(of: kind), isPolicyCompliant: kind == .pin, isRegistered: true,
          isSupportedByHardware: true, isEnrolled: true)
      })
    // The clock of the stage is at the end of the limit at once.
    let limit = InteractionLimit(.seconds(240), by: SystemClock())
    return try await client.select(
      context, Chooser(choice: profile.aaid(of: choice)), within: limit, isUsable: \.isRegistered)
  }

  @Test func `an authenticator that the policy accepts is used`() async throws {
    #expect(try await Self.select(.pin) == AuthenticatorProfile.ios.aaid(of: .pin))
  }

  @Test(arguments: [AuthenticatorKind.finger, .face, .devicePasscode, .password])
  func `the choice of an authenticator that the policy does not accept ends with NO_SUITABLE_AUTHENTICATOR`(
    _ kind: AuthenticatorKind
  ) async throws {
    await #expect { try await Self.select(kind) } throws: { error in
      (error as? OperationError)?.code == "NO_SUITABLE_AUTHENTICATOR"
    }
  }
}
