import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVIssuer
import Foundation
import Octets

/// Compares the card with a card in plain C over six commands that need no cryptography: the times side by side, and the
/// instructions of each command. Fails when a command takes more instructions than its limit; times never fail.
@main
struct Dispatch {
  /// The argument with which the program runs itself under callgrind.
  static let countingArgument = "--count"

  // WORKAROUND: valgrind 3.19 ends a program whose main function is asynchronous. So this one waits on a semaphore.
  static func main() {
    let ended = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        try await run()
      } catch {
        print("FAILED: \(error)")
        exit(EXIT_FAILURE)
      }
      ended.signal()
    }
    ended.wait()
  }

  private static func run() async throws {
    let fixture = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../../Fixtures/Cards/mastercard-cvn16.json")
    let image = try CardImage(json: [UInt8](Data(contentsOf: fixture)))
    let counts = CommandLine.arguments.contains(countingArgument)
    let link = ComparingLink(image, counts: counts)
    try await serve(image, on: link)
    guard let result = link.result else {
      print("FAILED: the session ended before the comparison")
      exit(EXIT_FAILURE)
    }
    if let command = result.difference {
      print("FAILED: the cards respond differently to \(command)")
      exit(EXIT_FAILURE)
    }
    guard !counts else { return }
    let commands = DispatchCommand.all(for: image)
    let table = DispatchTable(commands, result.times, try InstructionCounts.measure(commands))
    table.print()
    guard table.excesses.isEmpty else {
      for excess in table.excesses { print("FAILED: \(excess)") }
      exit(EXIT_FAILURE)
    }
  }

  /// Verifies the cardholder, arms the card and serves it on a link.
  private static func serve(_ image: CardImage, on link: ComparingLink) async throws {
    let device = SimulatedDevice(user: .approve)
    device.setPasscode("1234")
    device.enrolBiometric()
    let wallet = Wallet(store: InMemoryWalletStore(), device: device.ports)
    try await wallet.configure(.biometricOnly)
    try await wallet.add("card", image, keys: [key(for: image.applications[0])])
    // Longer than the whole run, which callgrind slows down.
    let limits = SessionLimits(emulation: .seconds(3_600), verificationValidity: .seconds(3_600))
    let session = try await wallet.makePaymentSession(limits: limits)
    await session.startPayment()
    for await event in session.events {
      switch event {
      case .authenticationRequired(let action): await action.proceed()
      case .authenticationCompleted: try await session.startEmulation(on: link)
      // The card leaves the link after the comparison, before it has paid.
      case .errorEncountered(let error, _): if link.result == nil { throw error }
      case .posConnected, .posDisconnected, .transactionCompleted: break
      }
    }
    await session.finished()
  }

  private static func key(for application: CardImage.Application) -> LimitedUseKey {
    let issuer = TestIssuer()
    let account = IssuerAccount(
      accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber,
      cryptogramVersion: application.cryptogramVersion)
    let hasChecksum = application.keyRoles.contains(.dynamicCVC3)
    return LimitedUseKey(
      masterKey: issuer.cardMasterKey(of: account), cvc3Key: hasChecksum ? issuer.cardCVC3Key(of: account) : nil,
      firstCounter: application.firstATC, uses: 1)
  }
}
