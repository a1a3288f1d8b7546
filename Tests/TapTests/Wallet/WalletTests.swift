import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Fixtures
import Foundation
import Octets
import PaymentSimulation
import TestSupport
import Testing
import WalletDatabase

@testable import tap

@Suite("tap wallet", .blocks, .timeLimit(.minutes(20)))
struct WalletTests {
  let scratch: Scratch
  let folder: String

  init() throws {
    scratch = try Scratch()
    folder = scratch.path("wallet")
  }

  func wallet(_ arguments: String..., in folder: String? = nil) throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(["wallet"] + arguments + ["--wallet", folder ?? self.folder, "--format", "json"]))
  }

  func add(_ card: String, _ id: String, uses: Int = 9) throws {
    let run = try wallet("add", "--card", TapProgram.card(card), "--id", id, "--uses", "\(uses)")
    #expect(run.code == 0, "\(run.errors)")
  }

  func present(_ arguments: String...) throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(["present", "--link", "loopback", "--wallet", folder, "--format", "json"] + arguments))
  }

  func lines(_ run: TapProgram.Run) throws -> [[String: Any]] {
    try run.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test func `cards are added, listed, chosen, stopped, resumed, counted and removed, each in a process of its own`()
    throws
  {
    try add("visa-cvn18", "first")
    try add("visa-two-accounts", "second", uses: 3)
    let list = try lines(wallet("list"))
    #expect(list.map { $0["card"] as? String } == ["first", "second"])
    #expect(list.map { $0["isDefault"] as? Bool } == [true, false])
    #expect((list[1]["applications"] as? [String])?.count == 2)
    #expect(try wallet("default", "second").json()["isDefault"] as? Bool == true)
    #expect(try wallet("suspend", "first").json()["state"] as? String == "suspended")
    #expect(try lines(wallet("list")).map { $0["state"] as? String } == ["suspended", "active"])
    #expect(try wallet("resume", "first").json()["state"] as? String == "active")
    #expect(try lines(wallet("keys")).map { $0["paymentsLeft"] as? Int } == [9, 3])
    #expect(try wallet("delete", "second").json()["deleted"] as? String == "second")
    #expect(try lines(wallet("list")).map { $0["card"] as? String } == ["first"])
    #expect(try lines(wallet("list")).map { $0["isDefault"] as? Bool } == [false])
    try add("visa-two-accounts", "second")
    #expect(try lines(wallet("list")).map { $0["isDefault"] as? Bool } == [false, true])
    #expect(try wallet("reset").json()["removed"] as? Int == 2)
    let empty = try wallet("list")
    #expect(empty.code == 0 && empty.output.isEmpty && empty.errors.contains("no card"))
  }

  @Test func `the text names the card, its state and the payments left, and no account number`() throws {
    try add("visa-cvn18", "first")
    let run = try TapProgram.run("wallet", "list", "--wallet", folder)
    #expect(run.output.hasPrefix("first: "))
    #expect(run.output.contains("active, default, payments left: 9"))
    #expect(!run.output.contains("47617390"))
    #expect(
      try TapProgram.run("wallet", "keys", "--wallet", folder).output
        == "first: 9 left, threshold 2\n  A0000000031010: limited-use, 9 left\n")
    #expect(try TapProgram.run("wallet", "reset", "--wallet", folder).output == "cards removed: 1\n")
  }

  @Test func `a profile's own name and number of uses are taken when none is given`() throws {
    let line = try wallet("add", "--card", TapProgram.card("visa-two-accounts")).json()
    #expect(line["card"] as? String == "Visa card with a debit and an Electron account")
    #expect(line["paymentsLeft"] as? Int == 100)
  }

  @Test func `keys of both kinds are listed with expiry and threshold; an expired key does not pay`() async throws {
    let added = try wallet(
      "add", "--card", TapProgram.card("visa-cvn18"), "--id", "first", "--keys", "single-use", "--uses", "4",
      "--expires", "2048-12-31", "--threshold", "3")
    #expect(added.code == 0, "\(added.errors)")
    let line = try wallet("keys").json()
    #expect(line["threshold"] as? Int == 3)
    #expect(line["needsReplenishment"] as? Bool == false)
    let keys = try #require((line["keys"] as? [[String: Any]])?.first)
    #expect(keys["kind"] as? String == "single-use")
    #expect(keys["paymentsLeft"] as? Int == 4)
    #expect(keys["expires"] as? String == "2048-12-31T00:00:00Z")
    #expect(try present().json()["transactionCounter"] as? Int == 1)
    #expect(try wallet("keys").json()["needsReplenishment"] as? Bool == true)
    // A wallet refuses keys that have expired, so this one is set up on an earlier day.
    let day = WallTime(seconds: 1_767_225_600)
    let clock = ManualWallClock()
    clock.set(WallTime(seconds: day.seconds - 1))
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    let older = scratch.path("older")
    let store = try SQLiteWalletStore(directory: older, clock: clock)
    let device = try StoredDevice(path: older + "/device")
    try device.apply([.setPasscode, .enrolBiometric])
    let olderWallet = Wallet(store: store, device: device.ports)
    try await olderWallet.configure(.biometricOnly)
    try store.add(
      "old", image, keys: TestIssuerProvisioning(uses: 9, expiry: day).keys(for: image), threshold: 2)
    let run = try TapProgram.run("present", "--link", "loopback", "--wallet", older, "--format", "json")
    #expect(try run.errorCode() == "noPaymentKeys")
    let text = try TapProgram.run("wallet", "keys", "--wallet", older).output
    #expect(text.contains("old: 0 left, threshold 2, needs replenishment"))
    #expect(text.contains("limited-use, 0 left, expired 2026-01-01T00:00:00Z"))
  }

  @Test func `a card is replenished below its threshold, above it when forced, and its counters go on`() throws {
    try add("visa-two-accounts", "first", uses: 3)
    let run = try wallet("replenish", "first")
    #expect(run.code == 0 && run.errors.contains("Nothing to do: 3 payments are left"), "\(run.errors)")
    #expect(try run.json()["paymentsLeft"] as? Int == 3)
    #expect(try wallet("replenish", "first", "--force", "--uses", "2").json()["paymentsLeft"] as? Int == 5)
    for _ in 1...3 { _ = try present() }
    #expect(
      try wallet("replenish", "first", "--keys", "single-use", "--uses", "2").json()["paymentsLeft"] as? Int == 4)
    // The kind that was added last.
    let line = try wallet("replenish", "first", "--force", "--uses", "1").json()
    #expect(line["paymentsLeft"] as? Int == 5)
    #expect((line["keys"] as? [[String: Any]])?.last?["kind"] as? String == "single-use")
    let counters = try (1...5).map { _ in try present().json()["transactionCounter"] as? Int ?? 0 }
    #expect(counters == Array(counters[0]..<counters[0] + 5))
    #expect(try present().errorCode() == "noPaymentKeys")
  }

  @Test func `a card whose single-use keys are used up is replenished with single-use keys`() throws {
    let added = try wallet(
      "add", "--card", TapProgram.card("visa-cvn18"), "--id", "first", "--keys", "single-use", "--uses", "1")
    #expect(added.code == 0, "\(added.errors)")
    #expect(try present().json()["transactionCounter"] as? Int == 1)
    let line = try wallet("replenish", "first", "--uses", "2").json()
    #expect((line["keys"] as? [[String: Any]])?.map { $0["kind"] as? String } == ["single-use"])
  }

  @Test func `an expiry in the past is refused with its value and today`() throws {
    let today = ExpiryDate.day(of: SystemWallClock().now)
    for day in ["2026-01-01", today] {
      let run = try wallet("add", "--card", TapProgram.card("visa-cvn18"), "--id", "first", "--expires", day)
      #expect(run.code == 64)
      #expect(
        run.errors.contains("--expires \(day): the day is past or today, which is \(today) (UTC)"), "\(run.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test func `a retired card is no longer the default`() throws {
    try add("visa-cvn18", "first")
    #expect(try wallet("retire", "first").json()["isDefault"] as? Bool == false)
    let run = try wallet("default", "first")
    #expect(run.code == 2 && run.errors.contains("is retired"), "\(run.errors)")
    #expect(try present().errorCode() == "noDefaultCard")
  }

  @Test func `payments of several processes go on counting`() throws {
    try add("visa-cvn18", "first", uses: 3)
    for counter in 1...3 {
      let line = try present().json()
      #expect(line["event"] as? String == "transactionCompleted")
      #expect(line["card"] as? String == "first")
      #expect(line["transactionCounter"] as? Int == counter)
    }
    let run = try present()
    #expect(run.code == 2)
    #expect(try run.errorCode() == "noPaymentKeys")
  }

  @Test func `a chosen card pays and becomes the default; a suspended or unknown one does not`() throws {
    try add("visa-cvn18", "first")
    try add("visa-cvn10", "second")
    #expect(try present("--digital-card", "second").json()["card"] as? String == "second")
    #expect(try lines(wallet("list")).map { $0["isDefault"] as? Bool } == [false, true])
    _ = try wallet("suspend", "first")
    #expect(try present("--digital-card", "first").errorCode() == "cardNotActive")
    #expect(try present("--digital-card", "none").errorCode() == "invalidDigitalCardID")
    #expect(try lines(wallet("keys")).map { $0["paymentsLeft"] as? Int } == [9, 8])
  }

  @Test func `a retired card does not come back through suspend and resume`() throws {
    try add("visa-cvn18", "first")
    #expect(try wallet("retire", "first").json()["state"] as? String == "retired")
    for command in ["suspend", "resume", "retire"] {
      let run = try wallet(command, "first")
      #expect(run.code == 2)
      #expect(run.errors.contains("is retired"), "\(run.errors)")
    }
    #expect(try lines(wallet("list")).map { $0["state"] as? String } == ["retired"])
  }

  @Test func `a suspended card cannot be suspended, nor an active card resumed`() throws {
    try add("visa-cvn18", "first")
    let resumed = try wallet("resume", "first")
    #expect(resumed.code == 2 && resumed.errors.contains("is active"), "\(resumed.errors)")
    #expect(try wallet("suspend", "first").code == 0)
    let suspended = try wallet("suspend", "first")
    #expect(suspended.code == 2 && suspended.errors.contains("possible: resume"), "\(suspended.errors)")
  }

  @Test
  func `an unarmed default card refuses, as does a wallet without a card, and no use is taken`()
    throws
  {
    try add("visa-cvn18", "first")
    #expect(try present("--unarmed").json()["event"] as? String == "refused")
    #expect(try lines(wallet("keys")).map { $0["paymentsLeft"] as? Int } == [9])
    let unknown = try present("--unarmed", "--digital-card", "none")
    #expect(unknown.code == 2 && unknown.errors.contains("no card \"none\""), "\(unknown.errors)")
    _ = try wallet("reset")
    let run = try present("--unarmed")
    #expect(run.code == 2, "\(run.errors)")
    #expect(try run.json()["event"] as? String == "refused")
  }

  @Test func `a refused verification takes no use`() throws {
    try add("visa-cvn18", "first")
    let run = try present("--user", "cancel")
    #expect(run.code == 2)
    #expect(try lines(wallet("keys")).map { $0["paymentsLeft"] as? Int } == [9])
  }

  @Test func `two processes that pay from one wallet at once never use a counter twice`() throws {
    try add("visa-cvn18", "first", uses: 6)
    let arguments = ["present", "--link", "loopback", "--wallet", folder, "--format", "json", "--count", "3"]
    let programs = try [TapProgram.start(arguments), TapProgram.start(arguments)]
    let runs = try programs.map { try TapProgram.finish($0) }
    #expect(runs.map(\.code) == [0, 0])
    let counters = try runs.flatMap { try lines($0) }.compactMap { $0["transactionCounter"] as? Int }
    #expect(counters.sorted() == [1, 2, 3, 4, 5, 6])
  }

  @Test func `an impossible request ends with a code of its kind and a sentence`() throws {
    try add("visa-cvn18", "first")
    let junk = scratch.path("junk")
    try FileManager.default.createDirectory(atPath: junk, withIntermediateDirectories: false)
    _ = try scratch.write("junk/wallet.sqlite", String(repeating: "no database ", count: 100))
    let refusals: [(run: TapProgram.Run, code: String, sentence: String)] = [
      (try wallet("list", in: scratch.path("nowhere")), "wallet", "holds no wallet: tap wallet add makes one"),
      (try wallet("reset", in: scratch.path("nowhere")), "wallet", "holds no wallet"),
      (try wallet("list", in: junk), "wallet", "damaged"),
      (try wallet("default", "none"), "wallet", "no card \"none\""),
      (try wallet("suspend", "none"), "wallet", "no card \"none\""),
      (try wallet("resume", "none"), "wallet", "no card \"none\""),
      (try wallet("delete", "none"), "wallet", "no card \"none\""),
      (try wallet("replenish", "none"), "wallet", "no card \"none\""),
      (try wallet("replenish", "first", in: scratch.path("nowhere")), "wallet", "holds no wallet"),
      (
        try wallet("add", "--card", TapProgram.card("visa-cvn18"), "--id", "first"), "wallet",
        "has a card \"first\" already"
      ),
      (
        try wallet("add", "--card", TapProgram.card("mastercard-cvn16"), "--id", "m", "--keys", "single-use"),
        "wallet", "single-use keys cannot be made for Mastercard CVN 16"
      ),
      (try wallet("add", "--card", "/nowhere.json"), "fileNotFound", "/nowhere.json cannot be read"),
      (try wallet("add", "--card", TapProgram.card("visa-cvn18"), "--id", "a\nb"), "wallet", "no control characters"),
      (try wallet("list", in: TapProgram.card("visa-cvn18")), "fileRefused", "cannot be searched for a wallet"),
      (try TapProgram.run("present", "--link", "loopback", "--wallet", junk), "wallet", "damaged"),
    ]
    for (run, code, sentence) in refusals {
      let isAbsent = code.hasPrefix("file") || sentence.hasPrefix("holds no wallet")
      #expect(run.code == (isAbsent ? 1 : sentence == "no control characters" ? 64 : 2), "\(sentence): \(run.errors)")
      #expect(try run.output.isEmpty || run.errorCode() == code, "\(run.output)")
      #expect(run.errors.contains(sentence), "\(run.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.path("nowhere")))
  }
}
