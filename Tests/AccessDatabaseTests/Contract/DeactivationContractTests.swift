@testable import AccessServer
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
    try await store.save { (store) throws(AccessStoreError) in
      for record in [other, wallet, account] { try store.save(record) }
    }
    try await store.save { (store) throws(AccessStoreError) in
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
}
