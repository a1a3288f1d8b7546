import CAllocationCounter
import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVIssuer
import Foundation
import Octets

/// Counts the heap blocks that a card takes per APDU, and fails when there is one.
@main
struct Allocations {
  /// A lazily made value spoils one round; a real allocation shows in all.
  static let rounds = 5

  static func main() async throws {
    try positiveControl()
    let fixture = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../../Fixtures/Cards/visa-cvn18.json")
    let image = try CardImage(json: [UInt8](Data(contentsOf: fixture)))
    let measurements = try commands()
    var least = [UInt64](repeating: .max, count: measurements.count)
    for _ in 0..<rounds {
      let counts = try await round(image, measurements)
      least = zip(least, counts).map { min($0, $1) }
    }
    print("heap blocks taken, the least of \(rounds) rounds")
    for (measurement, count) in zip(measurements, least) { print("  \(measurement.name): \(count)") }
    let path = zip(measurements, least).filter { !$0.0.name.hasPrefix(sessionIsTold) }
    guard path.allSatisfy({ $0.1 == 0 }) else {
      print("FAILED: the card's path must not allocate")
      exit(1)
    }
    print("none on the card's path")
  }

  /// Twice in a tap the card's thread tells its session something: that is no part of the card, and it allocates.
  static let sessionIsTold = "(session is told)"

  private final class Block {}
  // A global keeps the optimiser from moving the blocks to the stack.
  nonisolated(unsafe) private static var sink: Block?

  /// The counter counts: without this, zero proves nothing.
  static func positiveControl() throws {
    let before = thread_allocation_count()
    for _ in 0..<1_000 { sink = Block() }
    let counted = thread_allocation_count() - before
    print("positive control: \(counted) of 1000 blocks counted")
    guard counted == 1_000 else {
      print("FAILED: the counter does not see the heap")
      exit(1)
    }
  }

  static func commands() throws -> [Measurement] {
    let options =
      "80A8000023832132804000000000001234000000000000027600000000000978261121" + "00" + "52BF4585" + "00"
    let table: [(String, String, Bool, Int)] = [
      ("\(sessionIsTold) first command of a tap", "00A404000E325041592E5359532E444446303100", true, 1),
      ("SELECT PPSE", "00A404000E325041592E5359532E444446303100", true, 1_000),
      ("SELECT AID", "00A4040007A000000003101000", true, 1_000),
      ("SELECT of an unknown AID", "00A4040007A000000004101000", false, 1_000),
      ("GET PROCESSING OPTIONS of the wrong length", "80A800000383010000", false, 1_000),
      ("GET PROCESSING OPTIONS", options, true, 1),
      ("GET PROCESSING OPTIONS again", options, false, 1_000),
      ("READ RECORD", "00B2010C00", true, 1_000),
      ("\(sessionIsTold) READ RECORD, the last of the AFL", "00B2011C00", true, 1),
      ("READ RECORD, the last again", "00B2011C00", true, 1_000),
      ("READ RECORD that is not there", "00B2020C00", false, 1_000),
      ("GET DATA 9F36", "80CA9F3600", true, 1_000),
      ("unknown instruction", "00FF000000", false, 1_000),
      ("no APDU", "00A4", false, 1_000),
    ]
    return try table.map {
      Measurement(name: $0.0, command: try [UInt8](hex: $0.1), succeeds: $0.2, iterations: $0.3)
    }
  }

  static func round(_ image: CardImage, _ measurements: [Measurement]) async throws -> [UInt64] {
    let device = SimulatedDevice(user: .approve)
    device.setPasscode("1234")
    device.enrolBiometric()
    let wallet = Wallet(store: InMemoryWalletStore(), device: device.ports)
    try await wallet.configure(.biometricOnly)
    let issuer = TestIssuer()
    let keys = image.applications.map { application in
      let account = IssuerAccount(
        accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber,
        cryptogramVersion: application.cryptogramVersion)
      return LimitedUseKey(masterKey: issuer.cardMasterKey(of: account), firstCounter: 1, uses: 1)
    }
    try await wallet.add("card", image, keys: keys)
    let session = try await wallet.makePaymentSession()
    await session.startPayment()
    let link = MeasuringLink(measurements)
    for await event in session.events {
      switch event {
      case .authenticationRequired(let action): await action.proceed()
      case .authenticationCompleted: try await session.startEmulation(on: link)
      case .errorEncountered(let error): throw error
      case .posConnected, .posDisconnected, .transactionCompleted: break
      }
    }
    await session.finished()
    return link.allocations
  }
}
