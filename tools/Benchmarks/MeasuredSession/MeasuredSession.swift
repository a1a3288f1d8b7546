public import ContactlessPayment
import DeviceAuthentication
public import EMVCard
import EMVIssuer
import Foundation
public import Links

/// A card that a verified session has armed, on a link that measures it.
public enum MeasuredSession {
  /// Compiles a card profile of `Fixtures/Cards`.
  ///
  /// - Parameter name: The file name without its ending.
  public static func image(_ name: String) throws -> CardImage {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Fixtures/Cards/\(name).json")
    return try CardImage(json: [UInt8](Data(contentsOf: file)))
  }

  /// A wallet with a card and uses of it, on a simulated device. The card signs when the test authority has certified it.
  public static func wallet(_ image: CardImage, uses: Int = 1) async throws -> Wallet {
    let device = SimulatedDevice(user: .approve)
    device.setPasscode("1234")
    device.enrolBiometric()
    let wallet = Wallet(store: InMemoryWalletStore(), device: device.ports, clock: StandingClock())
    try await wallet.configure(.biometricOnly)
    try await wallet.add(
      "card", image, keys: keys(for: image, uses).map { .limitedUse($0) }, signingKey: signingKey(of: image))
    return wallet
  }

  /// Verifies the cardholder, arms the card and serves it on a link, until the link returns.
  ///
  /// - Parameter mayFail: Whether an error of the session is expected, such as that of a card that leaves before it has
  ///   paid.
  public static func serve(
    _ image: CardImage, on link: some EmulationLink, mayFail: @escaping @Sendable () -> Bool = { false }
  ) async throws { try await serve(try await wallet(image), on: link, mayFail: mayFail) }

  /// The same for a wallet that exists.
  public static func serve(
    _ wallet: Wallet, on link: some EmulationLink, mayFail: @escaping @Sendable () -> Bool
  ) async throws {
    let session = try await started(wallet)
    for await event in session.events {
      if let error = try await handle(event, of: session, on: link), !mayFail() { throw error }
    }
    await session.finished()
  }

  // Not inlined, as the next function: else the frame of the caller, which lives as long as the session, has room for all of
  // it.
  @inline(never)
  private static func started(_ wallet: Wallet) async throws -> ContactlessPaymentSession {
    // Longer than the whole run, which callgrind slows down.
    let limits = SessionLimits(emulation: .seconds(3_600), verificationValidity: .seconds(3_600))
    let session = try await wallet.makePaymentSession(limits: limits)
    await session.startPayment()
    return session
  }

  /// Goes on after an event. Returns the error of a session that has failed.
  @inline(never)
  private static func handle(
    _ event: ContactlessPaymentSession.Event, of session: ContactlessPaymentSession, on link: some EmulationLink
  ) async throws -> (any Error)? {
    switch event {
    case .authenticationRequired(let action): await action.proceed()
    case .authenticationCompleted: try await session.startEmulation(on: link)
    case .errorEncountered(let error, _): return error
    case .posConnected, .posDisconnected, .transactionCompleted: break
    }
    return nil
  }

  private static func signingKey(of image: CardImage) -> CardSigningKey? {
    guard let key = TestAuthority.cardKey(of: image.applications[0]) else { return nil }
    return CardSigningKey(key)
  }

  private static func keys(for image: CardImage, _ uses: Int) -> [LimitedUseKey] {
    let issuer = TestIssuer()
    return image.applications.map { application in
      let account = IssuerAccount(
        accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber,
        cryptogramVersion: application.cryptogramVersion)
      let hasChecksum = application.keyRoles.contains(.dynamicCVC3)
      return LimitedUseKey(
        masterKey: issuer.cardMasterKey(of: account), cvc3Key: hasChecksum ? issuer.cardCVC3Key(of: account) : nil,
        firstCounter: application.firstATC, uses: uses)
    }
  }
}
