import Foundation
import Testing

/// The security module of Linux that lets a process be traced by its ancestors only, and so hides whether the protection
/// of a program works. A process can allow every tracer of its user; programs without the protection do so here.
enum Yama {
  /// The words before a program that allows every tracer of its user; empty on a kernel without Yama.
  static var opening: [String] {
    get throws {
      guard let text = try? String(contentsOfFile: "/proc/sys/kernel/yama/ptrace_scope", encoding: .utf8) else {
        return []
      }
      let scope = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)), "\(text)")
      try #require(scope < 2, "kernel.yama.ptrace_scope is \(scope): no user but root can trace; set it to 0 or 1")
      // PR_SET_PTRACER, PR_SET_PTRACER_ANY; it outlives execve.
      let code = """
        import ctypes, os, sys
        ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)
        os.execvp(sys.argv[1], sys.argv[1:])
        """
      return scope == 0 ? [] : ["/usr/bin/python3", "-c", code]
    }
  }
}
