@testable import ServerStore
import TestSupport
import Testing

/// The contract of `AccessStore`, for every implementation: deactivated devices.
@Suite("The contract of a server's store: deactivations", .blocks, .timeLimit(.minutes(20)))
struct DeactivationContractTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: StoreKind.allCases)
  func `deactivations are listed by user, by device and by target, and removed one by one`(_ kind: StoreKind)
    async throws
  {
    let store = try kind.store(in: scratch)
    // An account may have the name of a wallet.
    let account = DeactivationRecord(owner: .account("w"), deviceID: "d", target: "t", name: "Phone", createdAt: 1)
    let wallet = DeactivationRecord(owner: .wallet("w"), deviceID: "d", name: "Phone", createdAt: 2)
    let other = DeactivationRecord(owner: .wallet("v"), deviceID: "d", name: "Tablet", createdAt: 3)
    try await store.save { (store) throws(AccessError) in
      for record in [other, wallet, account] { try store.save(record) }
    }
    try await store.save { (store) throws(AccessError) in
      #expect(try store.deactivations(of: .account("w")) == [account])
      #expect(try store.deactivations(of: .wallet("w")) == [wallet])
      #expect(try store.deactivations(of: .account("v")) == [])
      #expect(try store.walletDeactivations(ofDevice: "d") == [wallet, other])
      #expect(try store.accountDeactivations() == [account])
      #expect(try store.deactivation(ofTarget: "t") == account)
      #expect(try store.deactivation(ofTarget: "d") == nil)
      try store.removeDeactivation(of: .wallet("w"), deviceID: "d")
      #expect(try store.walletDeactivations(ofDevice: "d") == [other])
      #expect(try store.deactivations(of: .account("w")) == [account])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `deactivations and authorizations are found by a key of their account`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    let (key, unknown) = (Sample.credential(1).key, Sample.credential(2).key)
    let alice = DeactivationRecord(owner: .account("alice"), deviceID: "d", name: "Phone", createdAt: 1)
    let wallet = DeactivationRecord(owner: .wallet("alice"), deviceID: "d", name: "Phone", createdAt: 2)
    let bob = DeactivationRecord(owner: .account("bob"), deviceID: "d", name: "Phone", createdAt: 3)
    try await store.save { (store) throws(AccessError) in
      try store.save(Sample.credential(1))
      for record in [bob, wallet, alice] { try store.save(record) }
      for account in ["bob", "alice"] { try store.save(Sample.authorization("of \(account)", of: account)) }
    }
    try await store.save { (store) throws(AccessError) in
      #expect(try store.deactivations(ofOwnerOf: key) == [alice])
      #expect(try store.authorizations(ofOwnerOf: key) == [Sample.authorization("of alice")])
      #expect(try store.deactivations(ofOwnerOf: unknown).isEmpty)
      #expect(try store.authorizations(ofOwnerOf: unknown).isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a change of a transaction is seen by its later reads, also of what was read in advance`(_ kind: StoreKind)
    async throws
  {
    let store = try kind.store(in: scratch)
    let key = Sample.credential(1).key
    try await store.save { (store) throws(AccessError) in
      try store.save(Sample.device("a"))
      try store.save(Sample.token("t", for: "a"))
      try store.save(Sample.challenge("c"))
      try store.save(Sample.operation("o"))
      try store.save(Sample.credential(1))
      try store.save(Sample.authorization("x"))
    }
    try await store.save { (store) throws(AccessError) in
      let read = try store.readTogether { store throws(AccessError) in
        (
          tokens: try store.outOfBandTokens(of: "a"), challenge: try store.challenge("c"),
          operation: try store.operation("o"), authorizations: try store.authorizations(ofOwnerOf: key)
        )
      }
      #expect(read.tokens.count == 1 && read.authorizations.count == 1)
      #expect(read.challenge == Sample.challenge("c") && read.operation == Sample.operation("o"))
      try store.remove(ChallengeRecord.self, "c")
      #expect(try store.challenge("c") == nil)
      #expect(try store.operation("o") == Sample.operation("o"))
      try store.removeCredential(aaid: key.aaid, keyID: key.keyID)
      #expect(try store.authorizations(ofOwnerOf: key).isEmpty)
      // The tokens of a device are removed with it.
      try store.remove(DispatchTargetRecord.self, "a")
      #expect(try store.outOfBandTokens(of: "a").isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a text with the same canonical form read in advance does not stand for another one`(_ kind: StoreKind)
    async throws
  {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in try store.save(Sample.operation("K")) }
    try await store.save { (store) throws(AccessError) in
      // KELVIN SIGN, whose canonical form is the letter.
      #expect(try store.readTogether { store throws(AccessError) in try store.operation("\u{212A}") } == nil)
      #expect(try store.operation("K") == Sample.operation("K"))
    }
  }
}
