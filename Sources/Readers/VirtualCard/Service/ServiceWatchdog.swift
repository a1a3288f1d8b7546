internal import Glibc
internal import Links
internal import Synchronization

/// A shell that waits for the end of this program, which it sees as the end of its input, and then clears up: kills the
/// process whose number came last, and removes the directory.
final class ServiceWatchdog: Sendable {
  private let shell: ChildProcess
  private let end: Mutex<Int32?>
  /// What a process writes its number to; every copy of it must be closed before the shell acts.
  let leash: Int32

  /// - Throws: `LinkError.Code.serviceUnavailable`.
  init(over directory: String) throws(LinkError) {
    var ends: [Int32] = [-1, -1]
    // The kernel writes two descriptors into an array of two.
    guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw LinkError(.serviceUnavailable, "no sockets for the watchdog of a pcscd: \(systemErrorText(errno))")
    }
    let input = Descriptor(owning: ends[1])
    leash = ends[0]
    end = Mutex(ends[0])
    let script =
      #"while read -r number; do last=$number; done; [ -z "$last" ] || kill -9 "$last"; rm -rf -- "$0""#
    do throws(LinkError) {
      shell = try ChildProcess(script: script, [directory], descriptors: [0: input.number], output: "/dev/null")
    } catch {
      close(ends[0])
      throw error
    }
  }

  /// The process that was told of has ended: its number may be another's soon.
  func forget() {
    var line: UInt8 = 0x0A
    // One octet from a local.
    _ = unsafe send(leash, &line, 1, Int32(MSG_NOSIGNAL))
  }

  /// Lets the shell clear up, and waits for it. Does nothing the second time.
  func dismiss() {
    end.withLock { end in
      guard let descriptor = end else { return }
      end = nil
      close(descriptor)
      shell.end(with: nil, within: .seconds(10)) {}
    }
  }
}
