internal import CProcessGuard
internal import Glibc

/// The code in the memory of this process, as the dynamic loader describes it.
///
/// Each check has a control: with `isControl` it sees what an attack looks like, and must find it. A check that was
/// switched off by a change of its code fails its control.
package enum LoadedCode {
  private static let room = 65_536

  /// The files of the needed libraries, without symbolic links: those that the program names, and what they name.
  static func neededFiles() -> Set<String> {
    Set(unsafe lines { unsafe cguard_needed_libraries($0, $1) }.text.map(LoadedFiles.resolved))
  }

  /// The imported functions that lead to code of no needed file; at most eight are named.
  package static func replacedFunctions(isControl: Bool = false) -> (count: Int, names: [String]) {
    let found = unsafe lines { unsafe cguard_replaced_functions($0, $1, isControl ? 1 : 0) }
    return (found.result, found.text)
  }

  /// The file of the program or of the C library whose code in memory was changed after it was loaded; nil when both are
  /// unchanged. A file that was replaced, as an upgrade does, is still the one in memory.
  ///
  /// - Throws: `Unreadable` when the kernel does not list the memory of this process.
  package static func changedFile(isControl: Bool = false) throws(Unreadable) -> String? {
    let found = unsafe lines { unsafe cguard_changed_text($0, $1, isControl ? 1 : 0) }
    let file = found.text.first ?? ""
    guard found.result >= 0 else { throw Unreadable(file: file, number: Int32(-found.result)) }
    return found.result == 0 ? nil : file
  }

  /// A list of the kernel that cannot be read.
  package struct Unreadable: Error {
    package let file: String
    package let number: Int32
  }

  /// The digest that `tools/seal` wrote into the program; nil for a program without a seal.
  package static var sealedDigest: [UInt8]? {
    let digest = sealBytes()
    return digest.allSatisfy { $0 == 0 } ? nil : digest
  }

  /// Lends the memory of the program that its file fills and that it cannot write, in slices of 1 MiB: each segment
  /// starts a slice.
  package static func readOnlySlices(_ body: ([UInt8]) -> Void) {
    var segments = unsafe [cguard_segment](repeating: cguard_segment(), count: 16)
    let count = unsafe cguard_read_only_segments(&segments, Int32(16))
    for row in 0..<Int(count) {
      let memory = unsafe UnsafeRawBufferPointer(start: segments[row].start, count: segments[row].count)
      for start in stride(from: 0, to: memory.count, by: 1 << 20) {
        body(unsafe [UInt8](memory[start..<min(start + 1 << 20, memory.count)]))
      }
    }
  }

  // The structure is not changed while the program runs.
  private static func sealBytes() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    // The call writes 32 bytes.
    unsafe cguard_sealed_digest(&digest)
    return digest
  }

  private static func lines<Result>(_ call: (UnsafeMutablePointer<CChar>, Int) -> Result) -> (
    result: Result, text: [String]
  ) {
    var buffer = [CChar](repeating: 0, count: room)
    let result = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
      // The buffer is not empty.
      unsafe call(buffer.baseAddress.unsafelyUnwrapped, buffer.count)
    }
    let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return (result, text.split(separator: "\n").map(String.init))
  }
}
