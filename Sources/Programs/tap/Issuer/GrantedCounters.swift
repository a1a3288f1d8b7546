import Ciphers
import ContactlessPayment
import EMVCard
import EMVData
import EMVIssuer
import JSON
import Octets
import POSIX
import PaymentSimulation
import ProgramSupport

/// The counters that the test issuer has granted to the cards of a wallet, in a file of the wallet's folder: JSON with
/// keyed hashes of the account numbers, mode 0600. It stays when a card is deleted and when the wallet is reset, so that no
/// counter is granted twice with one key.
struct GrantedCounters: CounterBook {
  /// The wallet's folder, which exists.
  let directory: String

  private static let fileName = "test-issuer.json"
  /// The largest file that is read: one of 10 000 cards has about a megabyte.
  private static let maximumCount = 1 << 22
  private static let keyCount = 32
  /// Another process makes at most 1000 single-use keys under the lock.
  private static let lockLimit = Duration.seconds(30)

  private struct Content {
    var key: [UInt8]
    /// The lowest counters that were never granted, by the hash of the application.
    var free: [String: Int]
  }

  private var path: String { directory + "/" + Self.fileName }

  func grant(to account: IssuerAccount, _ body: (_ free: Int) throws -> KeyGrant) throws -> KeyGrant {
    try locked { content in
      let name = Self.name(of: account, content.key)
      let grant = try body(content.free[name] ?? 1)
      content.free[name] = Int(grant.firstCounter) + grant.uses
      return grant
    }
  }

  /// Keeps the counters of cards that were provisioned without this file, before they leave the wallet or another card with
  /// their number enters it.
  func keep(_ cards: [DigitalCard]) throws {
    guard !cards.isEmpty else { return }
    try locked { content in
      for card in cards {
        for (application, free) in zip(card.image.applications, card.freeCounters) {
          let name = Self.name(of: IssuerAccount(application), content.key)
          content.free[name] = max(free, content.free[name] ?? 1)
        }
      }
    }
  }

  /// An application in the file: HMAC-SHA-256 over the account number and the sequence number.
  private static func name(of account: IssuerAccount, _ key: [UInt8]) -> String {
    let octets = Array(account.accountNumber.exposedDigits.utf8) + [account.sequenceNumber]
    return HMACSHA256.code(of: octets, key: Secret(copying: key)).hex
  }

  private func locked<Result>(_ body: (inout Content) throws -> Result) throws -> Result {
    let lock: FileLock
    do throws(SystemError) {
      lock = try FileLock("\(directory)/test-issuer.lock", within: Self.lockLimit)
    } catch { throw failure("cannot be locked: \(error)") }
    return try withExtendedLifetime(lock) {
      let former = try read()
      var content = former ?? Content(key: SystemRandomSource().octets(Self.keyCount), free: [:])
      defer { content.key.wipe() }
      let result = try body(&content)
      if former?.free != content.free { try write(content) }
      return result
    }
  }

  /// The content; nil for a file that does not exist.
  private func read() throws(InputError) -> Content? {
    guard WholeFile(path).exists else { return nil }
    let content: WholeFile.Content?
    do throws(SystemError) {
      content = try WholeFile(path).readRegular(atMost: Self.maximumCount)
    } catch { throw failure("cannot be read: \(error)") }
    guard let content else { throw failure("is no regular file") }
    guard content.bytes.count <= Self.maximumCount, let json = try? JSONValue(parsing: content.bytes),
      let key = json["key"]?.text.flatMap({ try? [UInt8](hex: $0) }), key.count == Self.keyCount,
      let entries = json["applications"]?.list
    else { throw failure("holds no counters. Without it the issuer grants counters again", .notRight) }
    var free: [String: Int] = [:]
    for entry in entries {
      guard let name = entry["application"]?.text, let counter = entry["free"]?.text.flatMap({ Int($0) }),
        (1...0x1_0000).contains(counter)
      else { throw failure("holds a counter outside of 1...65536", .notRight) }
      free[name] = counter
    }
    return Content(key: key, free: free)
  }

  private func write(_ content: Content) throws(InputError) {
    let entries = content.free.sorted { $0.key < $1.key }.map { name, free -> JSONValue in
      ["application": JSONValue(name), "free": JSONValue(String(free))]
    }
    let json: JSONValue = ["key": JSONValue(content.key.hex), "applications": JSONValue(entries)]
    do throws(SystemError) {
      try WholeFile(path).write(Array(json.compact.utf8) + [0x0A])
    } catch { throw failure("cannot be written: \(error)") }
  }

  private func failure(_ reason: String, _ exit: Exit = .error) -> InputError {
    InputError(
      description: "the counters of the test issuer, \(path): the file \(reason)", code: .file, exit: exit)
  }
}
