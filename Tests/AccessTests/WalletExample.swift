import AccessMessages
import DeviceAuthentication
import MobileAuthentication
import Testing
import WalletAccess

/// The example of the article of WalletAccess.
@Suite(.timeLimit(.minutes(20)))
struct WalletExample {
  static let form = EnrolmentForm(
    profile: UserProfile(
      firstName: "Alice", lastName: "Example", email: "alice@example.org", password: "Abcdefgh1", passcode: "7413",
      phone: "+41 44 123 45 67",
      answers: [
        UserProfile.Answer(questionID: "pet", text: "Rex"), UserProfile.Answer(questionID: "town", text: "Bern"),
      ]), confirmedPassword: "Abcdefgh1", confirmedPIN: "7413")

  @Test func `the article of WalletAccess enrols a wallet and logs in by PIN`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let (transport, store, url, form) = (test.exchange, test.store, server.url, Self.form)
      let device = AuthenticationDevice(ports: test.device.ports, protection: .simulated)

      let wallet = try WalletAccess(
        server: url, device: device, http: transport, store: store, integrity: SimulatedIntegrity())
      let enrolment = UserEnrolmentCoordinator(wallet)
      let requirements = try await enrolment.requirements()
      print(form.refusal(by: requirements)?.description ?? "the form is complete")

      let enrolled = try await enrolment.register(form, requirements: requirements)
      _ = try await AuthenticationCoordinator(wallet).logout()
      let login = try await AuthenticationCoordinator(wallet).login(pin: EnteredSecret("7413"))
      print(enrolled.message, login.idleSeconds)

      #expect(enrolled.login.linkedDevice && login.method == .pin)
      #expect(try await DeviceCoordinator(wallet).status().isActive)
    }
  }
}
