import CAllocationCounter
import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVIssuer
import Foundation
import Links
import Octets

/// Counts the heap allocations of a card and of the links per APDU, and fails when there is one.
@main
struct Allocations {
  /// The least count of several rounds is used: a value that is initialised lazily allocates in one round only.
  static let rounds = 5

  static func main() async throws {
    try positiveControl()
    watchControl()
    var isClean = true
    for scenario in try Scenario.all() { isClean = try await measure(scenario) && isClean }
    isClean = try await measureLinks() && isClean
    guard isClean else {
      print("FAILED: the path of a command must not allocate")
      exit(1)
    }
    print("no allocation on the path of a command")
  }

  static func measure(_ scenario: Scenario) async throws -> Bool {
    let fixture = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../../Fixtures/Cards/\(scenario.card).json")
    let image = try CardImage(json: [UInt8](Data(contentsOf: fixture)))
    var least = [UInt64](repeating: .max, count: scenario.measurements.count)
    for _ in 0..<rounds {
      let counts = try await round(image, scenario.measurements)
      least = zip(least, counts).map { min($0, $1) }
    }
    print("\(scenario.card): heap allocations, the least of \(rounds) rounds")
    for (measurement, count) in zip(scenario.measurements, least) { print("  \(measurement.name): \(count)") }
    return zip(scenario.measurements, least).allSatisfy {
      $0.name.hasPrefix(Scenario.notifiesSession) || $1 == 0
    }
  }

  /// The links block, so they run on a thread of their own.
  static func measureLinks() async throws -> Bool {
    let counts = try await DedicatedThread(named: "terminal") { try LinkAllocations.all() }.value()
    print("links: heap allocations of \(LinkAllocations.commands) commands, after as many that are not counted")
    for count in counts { print("  \(count.name): \(count.allocations)") }
    return counts.allSatisfy { $0.allocations == 0 }
  }

  private final class Block {}
  // Stored in a global so that the optimiser cannot move the blocks to the stack.
  nonisolated(unsafe) private static var sink: Block?

  /// Allocates a known number of blocks and compares the count. Without this control, a count of zero proves nothing.
  static func positiveControl() throws {
    let before = thread_allocation_count()
    for _ in 0..<1_000 { sink = Block() }
    let counted = thread_allocation_count() - before
    print("positive control: \(counted) of 1000 allocations counted")
    guard counted == 1_000 else {
      print("FAILED: the counter does not see the heap")
      exit(1)
    }
  }

  /// Allocates before and after a watched octet is written. Only the allocations before it may be counted.
  static func watchControl() {
    let octet = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    defer { octet.deallocate() }
    octet.initialize(to: 0)
    thread_allocation_watch(octet)
    for _ in 0..<100 { sink = Block() }
    octet.pointee = 1
    for _ in 0..<100 { sink = Block() }
    let counted = thread_allocation_watched_count()
    thread_allocation_watch(nil)
    print("positive control: \(counted) of the 100 allocations before an octet was written")
    guard counted == 100 else {
      print("FAILED: the counter does not see when an octet is written")
      exit(1)
    }
  }

  static func round(_ image: CardImage, _ measurements: [Measurement]) async throws -> [UInt64] {
    let device = SimulatedDevice(user: .approve)
    device.setPasscode("1234")
    device.enrolBiometric()
    let wallet = Wallet(store: InMemoryWalletStore(), device: device.ports)
    try await wallet.configure(.biometricOnly)
    try await wallet.add("card", image, keys: keys(for: image))
    let session = try await wallet.makePaymentSession()
    await session.startPayment()
    let link = MeasuringLink(measurements)
    for await event in session.events {
      switch event {
      case .authenticationRequired(let action): await action.proceed()
      case .authenticationCompleted: try await session.startEmulation(on: link)
      case .errorEncountered(let error, _): throw error
      case .posConnected, .posDisconnected, .transactionCompleted: break
      }
    }
    await session.finished()
    return link.allocations
  }

  static func keys(for image: CardImage) -> [LimitedUseKey] {
    let issuer = TestIssuer()
    return image.applications.map { application in
      let account = IssuerAccount(
        accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber,
        cryptogramVersion: application.cryptogramVersion)
      let hasChecksum = application.keyRoles.contains(.dynamicCVC3)
      return LimitedUseKey(
        masterKey: issuer.cardMasterKey(of: account), cvc3Key: hasChecksum ? issuer.cardCVC3Key(of: account) : nil,
        firstCounter: application.firstATC, uses: 1)
    }
  }
}
