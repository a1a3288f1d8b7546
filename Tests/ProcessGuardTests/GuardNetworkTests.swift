import Foundation
import TestSupport
import Testing

/// Root switches one function of the checks off in the memory of a program without a seal.
@Suite("The guards of the guards", .blocks, .timeLimit(.minutes(60)))
struct GuardNetworkTests {
  /// A function, what it returns after the patch, and the order whose result names the patch.
  struct Patch: CustomTestStringConvertible, Sendable {
    let symbol: String
    let result: Result
    let finder: String
    var testDescription: String { symbol }
  }

  enum Result { case zero, one, emptyArray }

  static let patches = [
    Patch(symbol: "ProcessIntegrityV8findings", result: .emptyArray, finder: "use"),
    Patch(symbol: "IntegrityCheckV3run", result: .emptyArray, finder: "use"),
    Patch(symbol: "IntegrityCheckV7changes", result: .emptyArray, finder: "use"),
    Patch(symbol: "cguard_changed_text", result: .zero, finder: "use"),
    Patch(symbol: "cguard_replaced_functions", result: .zero, finder: "use"),
    Patch(symbol: "ProcessIntegrityV6tracer", result: .emptyArray, finder: "use"),
    Patch(symbol: "ProcessIntegrityV7preload2in", result: .emptyArray, finder: "use"),
    Patch(symbol: "ProcessIntegrityV8mappings", result: .emptyArray, finder: "use"),
    Patch(symbol: "IntegrityCheckV15instrumentation", result: .emptyArray, finder: "use"),
    Patch(symbol: "isForeign", result: .zero, finder: "use"),
    Patch(symbol: "V8isSealed", result: .one, finder: "use"),
    Patch(symbol: "TamperingReactionO7perform", result: .zero, finder: "use"),
    Patch(symbol: "IntegrityGuardC4look", result: .emptyArray, finder: "use"),
    Patch(symbol: "IntegrityGuardC4scan", result: .emptyArray, finder: "look"),
    Patch(symbol: "IntegrityGuardC8findings", result: .emptyArray, finder: "look"),
    Patch(symbol: "IntegrityGuardC13changesOfCode", result: .emptyArray, finder: "look"),
  ].filter { Exercise.hardened == nil || $0.symbol.hasPrefix("cguard") }

  @Test(arguments: patches) func `a patch of any one function is found by another one`(_ patch: Patch) throws {
    let exercise = try Exercise()
    // Not by the shared checks, whose result would serve for the next second.
    #expect(try exercise.order("scan") == "clean")
    let place = try exercise.base() + exercise.symbol(patch.symbol)
    try exercise.patchMemory(at: place, try Self.code(patch.result, exercise))
    let found = try exercise.order(patch.finder)
    #expect(found.contains("was changed") || found.contains("finds nothing any more"), "\(found)")
    if patch.finder == "look" { return }
    // The two ways do not depend on each other.
    guard patch.symbol != "IntegrityGuardC4look" else { return }
    #expect(try exercise.order("look") != "clean")
  }

  /// Machine code that returns at once.
  private static func code(_ result: Result, _ exercise: Exercise) throws -> [UInt8] {
    switch result {
    // xor eax, eax; ret
    case .zero: return [0x31, 0xC0, 0xC3]
    // mov eax, 1; ret
    case .one: return [0xB8, 1, 0, 0, 0, 0xC3]
    // movabs rax, ADDRESS; ret. An empty array is a static object of the runtime.
    case .emptyArray:
      let address = try exercise.runtimeSymbol("_swiftEmptyArrayStorage")
      return [0x48, 0xB8] + withUnsafeBytes(of: address.littleEndian) { Array($0) } + [0xC3]
    }
  }
}
