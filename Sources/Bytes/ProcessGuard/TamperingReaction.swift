internal import Glibc

/// What a program does when a check finds a sign of tampering.
public enum TamperingReaction: String, CaseIterable, Sendable {
  /// Refuses the operation with the findings as the reason.
  case error
  /// Ends with code 1 and without a message.
  case silence
  /// Ends as after a fault of memory, without a reason.
  case crash

  /// Ends the program, unless the reaction is an error. The secrets are erased first.
  package func perform() {
    switch self {
    case .error: return
    case .silence:
      SecretPages.erase()
      _exit(1)
    case .crash:
      SecretPages.erase()
      signal(SIGSEGV, SIG_DFL)
      var fault = sigset_t()
      // The calls change and read one set of this frame.
      unsafe sigemptyset(&fault)
      unsafe sigaddset(&fault, SIGSEGV)
      unsafe pthread_sigmask(SIG_UNBLOCK, &fault, nil)
      raise(SIGSEGV)
    }
  }
}

/// The pages of all secrets of this process: those that neither a core dump nor a child has (proc(5), VmFlags `dd` and
/// `dc`), as the locked memory of `Octets` is marked.
package enum SecretPages {
  /// Overwrites them. The threads that use the secrets go on with zeros.
  package static func erase() {
    for (start, count) in ranges(in: SmallFile.text("/proc/self/smaps") ?? "") {
      // The kernel lists mappings of this process.
      if let pages = unsafe UnsafeMutableRawPointer(bitPattern: start) { unsafe explicit_bzero(pages, count) }
    }
  }

  /// The writable ranges with both marks.
  static func ranges(in smaps: String) -> [(start: UInt, count: Int)] {
    var ranges: [(start: UInt, count: Int)] = []
    var present: (start: UInt, count: Int)?
    for line in smaps.split(separator: "\n") {
      let fields = line.split(separator: " ")
      if fields.first == "VmFlags:", fields.contains("dd"), fields.contains("dc"), let range = present {
        ranges.append(range)
      }
      guard fields.count > 4, fields[1].count == 4 else { continue }
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard ends.count == 2, ends[1] > ends[0] else { continue }
      present = fields[1].hasPrefix("rw") ? (ends[0], Int(ends[1] - ends[0])) : nil
    }
    return ranges
  }
}
