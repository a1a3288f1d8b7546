import Testing

@testable import ReaderSimulator
@testable import tap

@Suite("Faults of the simulated field")
struct FramePlanTests {
  static func faults(_ text: String, seed: UInt64 = 1, count: Int = 1000) throws -> [FieldFault?] {
    var plan = try #require(FrameFaults(argument: text)).plan(seed: seed)
    return (0..<count).map { _ in plan.next(isActivation: false) }
  }

  static let kinds: [(name: String, fault: FieldFault)] = [
    ("drop", .drop), ("corrupt", .corrupt), ("delay", .delay(.milliseconds(50))),
    ("tear", .tear(absence: .milliseconds(50))), ("field-off", .fieldOff(.milliseconds(50))),
  ]

  @Test(arguments: kinds.indices)
  func `each name is its own fault`(row: Int) throws {
    let (name, fault) = Self.kinds[row]
    #expect(try Self.faults("\(name)=1000", count: 3) == [fault, fault, fault])
    #expect(try Self.faults("\(name)=0").allSatisfy { $0 == nil })
  }

  @Test func `a share is a share of a thousand`() throws {
    let faults = try Self.faults("drop=500,corrupt=250", count: 4000)
    #expect((1800...2200).contains(faults.count { $0 == .drop }))
    #expect((800...1200).contains(faults.count { $0 == .corrupt }))
  }

  @Test func `everything follows from the seed`() throws {
    #expect(try Self.faults("drop=500", seed: 2) == Self.faults("drop=500", seed: 2))
    #expect(try Self.faults("drop=500", seed: 2) != Self.faults("drop=500", seed: 3))
    #expect(FrameFaults().plan(seed: 1).frameCount == 0)
  }
}
