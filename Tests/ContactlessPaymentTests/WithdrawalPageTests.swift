import Foundation
import Octets
import TestSupport
import Testing

@testable import ContactlessPayment

/// The page by which withdrawals and armed cards agree, in memory and in a file.
@Suite("Withdrawals and armed cards", .timeLimit(.minutes(20)))
struct WithdrawalPageTests {
  enum Kind: CaseIterable { case inMemory, mapped }

  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func page(_ kind: Kind) throws -> WithdrawalPage {
    kind == .inMemory ? WithdrawalPage() : try WithdrawalPage(mapping: scratch.path("page"))
  }

  @Test(arguments: Kind.allCases)
  func `a withdrawal from a card changes its count, and one from the wallet the count of each`(_ kind: Kind) throws {
    let page = try page(kind)
    let counts = { (1...40 as ClosedRange<Int64>).map(page.count) }
    var before = counts()
    page.raise(forCard: 3)
    var after = counts()
    #expect(after[2] == before[2] + 1)
    #expect(after[3] == before[3])
    before = after
    page.raise(forCard: nil)
    after = counts()
    #expect(zip(before, after).allSatisfy { $0 + 1 == $1 })
    page.raise(forCard: .min)
    #expect(page.count(ofCard: .min) == page.count(ofCard: .min))
  }

  @Test(arguments: Kind.allCases)
  func `a withdrawal waits for the cards that are announced, and names those that stay`(_ kind: Kind) throws {
    let page = try page(kind)
    let announcement = try page.announcement()
    #expect(page.processesStillAnswering() == [])
    announcement.announce()
    #expect(page.processesStillAnswering() == [getpid()])
    announcement.takeBack()
    #expect(page.processesStillAnswering() == [])
  }

  @Test(arguments: Kind.allCases)
  func `the announcement of a card that is gone does not count`(_ kind: Kind) throws {
    let page = try page(kind)
    var announcement: CardAnnouncement? = try page.announcement()
    announcement?.announce()
    announcement = nil
    #expect(page.processesStillAnswering() == [])
    let next = try page.announcement()
    #expect(page.processesStillAnswering() == [])
    next.announce()
    #expect(page.processesStillAnswering() == [getpid()])
  }

  @Test(arguments: Kind.allCases)
  func `a page has places for 248 armed cards`(_ kind: Kind) throws {
    let page = try page(kind)
    var announcements = try (0..<WithdrawalPage.capacity).map { _ in try page.announcement() }
    #expect(announcements.count == 248)
    #expect(throws: WalletStoreError.self) { try page.announcement() }
    announcements.removeLast()
    _ = try page.announcement()
  }

  @Test func `a truncated page has no count of a page in use, and one that was replaced is not in place`() throws {
    let path = scratch.path("page")
    let page = try WithdrawalPage(mapping: path)
    let counts = (1...20 as ClosedRange<Int64>).map(page.count)
    try #require(truncate(path, 0) == 0)
    #expect(zip(1...20 as ClosedRange<Int64>, counts).allSatisfy { page.count(ofCard: $0) != $1 })
    #expect(page.isInPlace)
    unlink(path)
    #expect(!page.isInPlace)
  }
}
