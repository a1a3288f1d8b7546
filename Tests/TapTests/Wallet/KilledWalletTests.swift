import ContactlessPayment
import DeviceAuthentication
import Foundation
import Links
import Octets
import TestSupport
import Testing
import WalletDatabase

@Suite("A wallet whose process is killed", .blocks, .timeLimit(.minutes(120)))
struct KilledWalletTests {
  /// `tools/test --soak` asks for many.
  static let rounds = Soak.isOn ? 20_000 : 100
  /// The number of wallets among which the rounds are divided; they run at the same time. Each wallet is replaced after
  /// `roundsPerWallet`, before its counter reaches its end.
  static let lanes = 4
  static let roundsPerWallet = 250

  @Test(arguments: 0..<lanes)
  func `a store whose process was killed opens, repeats no use and loses at most the payment in progress`(_ lane: Int)
    async throws
  {
    #expect(try await Self.run(lane) == [])
  }

  /// Runs and kills the program for its share of the rounds. Returns the first faults.
  private static func run(_ lane: Int) async throws -> [String] {
    var generator = SplitMix64(seed: UInt64(2026 + lane))
    var wallet = try KilledWallet()
    var reservations = 0
    for round in 1...rounds / lanes {
      if round % roundsPerWallet == 0 {
        reservations += wallet.ledger.reservations
        wallet = try KilledWallet()
      }
      let faults = try await wallet.runAndKill(&generator)
      guard faults.isEmpty else { return ["lane \(lane), round \(round)"] + faults }
    }
    // Rounds without a reservation prove nothing: there must be one in four rounds.
    reservations += wallet.ledger.reservations
    return reservations >= rounds / lanes / 4 ? [] : ["only \(reservations) uses were reserved"]
  }

  @Test func `the next counter after a kill is above every reserved use`() throws {
    let scratch = try Scratch()
    let folder = scratch.path("wallet")
    let added = try TapProgram.run(
      "wallet", "add", "--wallet", folder, "--card", TapProgram.card("visa-cvn18"), "--uses", "9")
    #expect(added.code == 0, "\(added.errors)")
    let program = try TapProgram.start(["present", "--link", "loopback", "--wallet", folder, "--count", "9"])
    // The second payment starts after 0.9 s.
    #expect(program.wait(timeout: .seconds(120)) { $0.output.contains("ATC 1") })
    program.signal(SIGKILL)
    _ = try program.finish(timeout: .seconds(60))
    let run = try TapProgram.run("present", "--link", "loopback", "--wallet", folder, "--format", "json")
    #expect(try run.json()["transactionCounter"] as? Int == 2)
  }
}

/// A process that is started and killed.
private struct KilledRound: Sendable {
  let arguments: [String]
  let journal: String
  /// The process is killed after its journal has become longer than this, in bytes; nil while it starts.
  let awaitedSize: Int?
  /// How long it may go on then, in microseconds.
  let pause: UInt32

  /// Blocks until the process has ended. Returns the faults.
  func run() throws -> [String] {
    let path = URL(filePath: TapProgram.path).deletingLastPathComponent().appending(path: "wallet-exercise").path
    let program = try ProgramRun(path, arguments)
    if let awaitedSize {
      let isReached = program.wait(timeout: .seconds(300)) { _ in
        ((try? FileManager.default.attributesOfItem(atPath: journal)[.size] as? Int) ?? 0) > awaitedSize
      }
      guard isReached else { return ["the exercise stopped writing: \(program.errors)"] }
    }
    usleep(pause)
    program.signal(SIGKILL)
    let ending = try program.finish(timeout: .seconds(60))
    return ending == .killed(signal: SIGKILL) ? [] : ["the exercise ended with \(ending): \(program.errors)"]
  }
}

/// A wallet in a folder, its device, and the journal of the processes that used it.
private struct KilledWallet {
  let scratch: Scratch
  var ledger = Ledger()
  private var journalOffset = 0

  init() throws {
    scratch = try Scratch()
    try StoredDevice(path: scratch.path("device")).apply([.setPasscode, .enrolBiometric])
  }

  /// Starts the exercise, kills it at a moment that the generator chooses, and compares the store with the journal.
  mutating func runAndKill(_ generator: inout SplitMix64) async throws -> [String] {
    let folder = scratch.path("wallet")
    // One process in eight is killed while it starts or opens the store, the others after an amount of work, whatever
    // the speed: one step writes about thirty bytes.
    let waits = Int.random(in: 0..<8, using: &generator) > 0
    let round = KilledRound(
      arguments: [
        "endless", "--wallet", folder, "--device", scratch.path("device"), "--card", TapProgram.card("visa-cvn18"),
        "--journal", scratch.path("journal"), "--seed", "\(UInt64.random(in: 0 ... .max, using: &generator))", "--free",
        "\(ledger.highest + 1)",
      ],
      journal: scratch.path("journal"),
      awaitedSize: waits ? journalOffset + Int.random(in: 0..<300, using: &generator) : nil,
      pause: UInt32.random(in: 0...20_000, using: &generator))
    // A thread of its own, because a round blocks for long and other tests need the shared threads.
    let killed = try await DedicatedThread(named: "round") { try round.run() }.value()
    guard killed.isEmpty else { return killed }
    let faults = try readJournal()
    // A store that was not created before its process was killed is empty.
    let (left, counts) = try await presentState(folder)
    return faults + counts + ledger.compare(with: left)
  }

  /// Returns the number of payments left, nil without a card, and a fault when the store is behind its device.
  private func presentState(_ folder: String) async throws -> (left: Int?, faults: [String]) {
    guard let store = try storeIfThere(folder), let binding = try store.binding() else { return (nil, []) }
    let keys = try StoredDevice(path: scratch.path("device")).ports.keys
    do {
      try store.unlock(with: await keys.unseal(binding.key.identifier))
    } catch DeviceAuthenticationError.authenticationKeyMissing {
      // The wipe was interrupted after its first step: the cards cannot be read again.
      return (nil, [])
    }
    let counter = try #require(try await keys.counter(of: binding.key.identifier))
    let faults = counter > binding.count ? ["the store counts \(binding.count), the device \(counter)"] : []
    return (try store.cards().first?.paymentsLeft, faults)
  }

  private func storeIfThere(_ folder: String) throws -> SQLiteWalletStore? {
    FileManager.default.fileExists(atPath: folder) ? try SQLiteWalletStore(directory: folder) : nil
  }

  private mutating func readJournal() throws -> [String] {
    guard let data = FileManager.default.contents(atPath: scratch.path("journal")) else { return [] }
    let text = String(decoding: data.dropFirst(journalOffset), as: UTF8.self)
    journalOffset = data.count
    return text.split(separator: "\n").flatMap { ledger.take(String($0)) }
  }
}

/// The content of the journal: the reserved counters, and the number of payments that must be left.
private struct Ledger {
  /// Reserved and not released: they must not be reserved again.
  private var held: Set<Int> = []
  /// How many payments are left; nil without a card.
  private var left: Int?
  /// The number of payments left if the change in progress was made.
  private var leftAfter: Int??
  private(set) var highest = 0
  private(set) var reservations = 0

  mutating func take(_ line: String) -> [String] {
    let words = line.split(separator: " ").map(String.init)
    let number = words.last.flatMap(Int.init) ?? 0
    switch words.prefix(2).joined(separator: " ") {
    case "begin reserve": leftAfter = .some(left.map { $0 - 1 })
    case "begin release":
      held.remove(number)
      leftAfter = .some(left.map { $0 + 1 })
    case "begin spend": leftAfter = .some(left)
    case "begin add": leftAfter = .some(number)
    case "begin replenish": leftAfter = .some(left.map { $0 + number })
    case "begin wipe": leftAfter = .some(nil)
    case "end": commit()
    case "reserved \(number)":
      commit()
      reservations += 1
      highest = max(highest, number)
      return held.insert(number).inserted ? [] : ["the use with counter \(number) was reserved twice"]
    case "open": break
    default: return ["unknown line in the journal: \(line)"]
    }
    return []
  }

  private mutating func commit() {
    if let leftAfter { left = leftAfter }
    leftAfter = nil
  }

  /// Compares with the store. The change in progress may or may not have been made.
  mutating func compare(with present: Int?) -> [String] {
    let (before, after) = (left, leftAfter ?? left)
    (left, leftAfter) = (present, nil)
    guard present != before, present != after else { return [] }
    return ["\(present.map(String.init) ?? "no card") left instead of \(before ?? -1) or \(after ?? -1)"]
  }
}
