import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Foundation
import GRDB
import Glibc
import TestSupport
import Testing

@testable import WalletDatabase

/// The errors of a store that cannot be opened or written. Nothing is changed then.
@Suite("A wallet store that cannot be used")
struct RefusalTests {
  let folder = Folder()

  func fill() throws {
    let image = try TestCard.image()
    let store = try SQLiteWalletStore(directory: folder.path).opened()
    try store.add("card", image, keys: TestCard.keys(for: image, uses: 500))
  }

  func expectRefusal(_ expected: (WalletStoreError) -> Bool) throws {
    let before = try folder.contents()
    let error = #expect(throws: WalletStoreError.self) { try SQLiteWalletStore(directory: folder.path) }
    #expect(error.map(expected) == true, "\(String(describing: error))")
    #expect(try folder.contents() == before)
  }

  @Test func `a newer store is refused with its version and the supported one`() throws {
    try fill()
    try DatabaseQueue(path: folder.database).writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA user_version = \(SQLiteWalletStore.schemaVersion + 1)")
    }
    try expectRefusal {
      $0 == .newerStore(version: SQLiteWalletStore.schemaVersion + 1, supported: SQLiteWalletStore.schemaVersion)
    }
  }

  /// Statements that create a database of another program, or one that no version of the store has written.
  static let foreignStatements = [
    "CREATE TABLE card (id TEXT)", "PRAGMA user_version = 1", "PRAGMA application_id = 7",
    "PRAGMA application_id = 0x43544C53",
  ]

  @Test(arguments: foreignStatements)
  func `a database of another program is refused`(_ statement: String) throws {
    try folder.make()
    try DatabaseQueue(path: folder.database).writeWithoutTransaction { try $0.execute(sql: statement) }
    try expectRefusal { if case .corrupt = $0 { true } else { false } }
  }

  /// Damages to the file.
  static let damages: [@Sendable (inout Data) -> Void] = [
    { $0 = Data("not a database, only some text that is long enough to be looked at".utf8) },
    { $0[0] ^= 0xFF },
    { $0.removeLast($0.count - 5000) },
    { $0.replaceSubrange(4096..<4200, with: Data(repeating: 0xA5, count: 104)) },
    { data in for page in 1..<(data.count / 4096) { data[page * 4096] = 0x77 } },
  ]

  @Test(arguments: damages.indices)
  func `a damaged store is refused and not changed`(_ row: Int) throws {
    try fill()
    var data = try Data(contentsOf: URL(filePath: folder.database))
    Self.damages[row](&data)
    try data.write(to: URL(filePath: folder.database))
    try expectRefusal { if case .corrupt = $0 { true } else { false } }
  }

  @Test func `a sealed profile that does not compile is reported as damage by every call`() throws {
    try fill()
    let profile: [UInt8] = [0x7B]
    try SQLiteWalletStore(directory: folder.path).opened().change { database, vault in
      let sealed = vault.seal(profile.span, as: .card(1, .profile))
      try database.execute(sql: "UPDATE card SET profile = ?", arguments: [sealed])
    }
    let store = try SQLiteWalletStore(directory: folder.path).opened()
    let before = try folder.contents()
    let expected = WalletStoreError.corrupt("the profile of a card does not compile")
    #expect(throws: expected) { _ = try store.cards() }
    #expect(throws: expected) { _ = try store.reserve("card").id }
    #expect(try folder.contents() == before)
  }

  @Test func `a folder that cannot be created and a database that is a folder are not writable`() throws {
    let orphan = folder.path + "/in/nowhere"
    #expect(throws: WalletStoreError.notWritable(orphan)) { try SQLiteWalletStore(directory: orphan) }
    try FileManager.default.createDirectory(atPath: folder.database, withIntermediateDirectories: true)
    #expect(throws: WalletStoreError.notWritable(folder.database)) { try SQLiteWalletStore(directory: folder.path) }
  }

  @Test func `a folder that others can write is refused with its remedy, and one of the own group is not`() throws {
    try fill()
    for (mode, group, isRefused) in [(0o777, 0, true), (0o702, 0, true), (0o775, 12345, true), (0o775, 0, false)] {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode, .groupOwnerAccountID: group == 0 ? Int(getegid()) : group], ofItemAtPath: folder.path)
      let text = String(mode, radix: 8)
      do throws(WalletStoreError) {
        _ = try SQLiteWalletStore(directory: folder.path)
        #expect(!isRefused, "\(text)")
      } catch {
        #expect(isRefused && error == .exposed(folder: folder.path, mode: mode), "\(error)")
        #expect("\(error)".contains("chmod go-w"))
      }
    }
  }

  @Test func `a card that was not read from JSON cannot be stored`() throws {
    let store = try SQLiteWalletStore(directory: folder.path).opened()
    let profile = try CardProfile(json: try #require(try TestCard.image().json))
    let image = try CardImage(compiling: profile)
    #expect(throws: WalletStoreError.noProfile) {
      try store.add("card", image, keys: TestCard.keys(for: image, uses: 1))
    }
  }

  @Test func `a full store refuses cards and reservations, keeps its content and settles reservations`() throws {
    try fill()
    let pages = try Data(contentsOf: URL(filePath: folder.database)).count / 4096
    let store = try SQLiteWalletStore(directory: folder.path, maximumPages: pages).opened()
    let image = try TestCard.image()
    var reservations: [ReservationID] = []
    let expected = WalletStoreError.full(folder.database)
    #expect(throws: expected) {
      for _ in 1...500 { reservations.append(try store.reserve("card").id) }
    }
    #expect(throws: expected) {
      for name in 1...100 { try store.add("\(name)", image, keys: TestCard.keys(for: image, uses: 1)) }
    }
    #expect(try store.cards()[0].paymentsLeft == 500 - reservations.count)
    for reservation in reservations { try store.settle(reservation, spent: []) }
    #expect(try store.cards()[0].paymentsLeft == 500)
  }

  @Test func `a store that another process has locked is busy and changes nothing`() throws {
    try fill()
    let store = try SQLiteWalletStore(directory: folder.path).opened()
    let other = try DatabaseQueue(path: folder.database)
    try other.writeWithoutTransaction { database in
      try database.execute(sql: "BEGIN IMMEDIATE")
      #expect(throws: WalletStoreError.busy(seconds: WalletFile.busyTimeout)) { _ = try store.reserve("card").id }
      try database.execute(sql: "ROLLBACK")
    }
    #expect(try store.cards()[0].paymentsLeft == 500)
  }
}

/// A file system of 256 KiB in memory. It needs the right to mount.
final class SmallDisk {
  struct NotMounted: Error, CustomStringConvertible {
    let description = "cannot mount a tmpfs: run the tests as root, or in a container that may mount"
  }

  let folder = Folder()

  init() throws {
    try folder.make()
    guard try Self.run("mount", "-t", "tmpfs", "-o", "size=256k,mode=0700", "tmpfs", folder.path) else {
      throw NotMounted()
    }
  }

  deinit { _ = try? Self.run("umount", "--lazy", folder.path) }

  func makeReadOnly() throws { #expect(try Self.run("mount", "-o", "remount,ro", folder.path)) }

  private static func run(_ program: String, _ arguments: String...) throws -> Bool {
    try ProgramRun(program, arguments).finish(timeout: .seconds(60)) == .exited(0)
  }
}

@Suite("A wallet store on a small disk")
struct SmallDiskTests {
  @Test func `a full disk refuses a reservation, and with space again the same use is reserved`() throws {
    let disk = try SmallDisk()
    let image = try TestCard.image()
    let store = try SQLiteWalletStore(directory: disk.folder.path).opened()
    try store.add("card", image, keys: TestCard.keys(for: image, uses: 5))
    let filler = disk.folder.path + "/filler"
    let file = try #require(fopen(filler, "w"))
    let block = [UInt8](repeating: 1, count: 4096)
    setvbuf(file, nil, _IONBF, 0)
    while fwrite(block, 1, block.count, file) == block.count {}
    fclose(file)
    #expect(throws: WalletStoreError.full(disk.folder.database)) { _ = try store.reserve("card").id }
    #expect(try store.cards()[0].paymentsLeft == 5)
    try FileManager.default.removeItem(atPath: filler)
    _ = try store.reserve("card").id
    #expect(try SQLiteWalletStore(directory: disk.folder.path).opened().cards()[0].paymentsLeft == 4)
  }

  @Test func `a read-only folder without a store is refused`() throws {
    let disk = try SmallDisk()
    try disk.makeReadOnly()
    #expect(throws: WalletStoreError.notWritable(disk.folder.database)) {
      try SQLiteWalletStore(directory: disk.folder.path)
    }
    #expect(try disk.folder.contents().isEmpty)
  }

  @Test func `a store in a read-only folder is read, and every change is refused`() async throws {
    let disk = try SmallDisk()
    let device = SimulatedDevice()
    device.setPasscode("1234")
    device.enrolBiometric()
    let image = try TestCard.image()
    do {
      let wallet = Wallet(store: try SQLiteWalletStore(directory: disk.folder.path), device: device.ports)
      try await wallet.configure(.biometricOnly)
      try await wallet.add("card", image, keys: TestCard.keys(for: image, uses: 5))
      #expect(try await wallet.reserve("card").counters[0] == 1)
    }
    let older = try disk.folder.contents()
    try disk.makeReadOnly()
    let store = try SQLiteWalletStore(directory: disk.folder.path)
    #expect(store.isReadOnly)
    let wallet = Wallet(store: store, device: device.ports)
    try await wallet.open()
    #expect(try await wallet.cards().map(\.paymentsLeft) == [4])
    let refusal = WalletStoreError.notWritable(disk.folder.database)
    await #expect(throws: WalletError.store(refusal)) { try await wallet.suspend("card") }
    await #expect(throws: WalletError.store(.notWritable(disk.folder.path + "/wallet.owners"))) {
      _ = try await wallet.reserve("card").id
    }
    #expect(throws: refusal) { try store.wipe() }
    #expect(try disk.folder.contents() == older)
    // The device has counted another copy.
    let key = try #require(try store.binding()).key.identifier
    _ = try await device.ports.keys.advanceCounter(of: key)
    let again = Wallet(store: try SQLiteWalletStore(directory: disk.folder.path), device: device.ports)
    await #expect(throws: WalletError.storeRolledBack(count: 1, deviceCount: 2)) { try await again.open() }
  }
}
