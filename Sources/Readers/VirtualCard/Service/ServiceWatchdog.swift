internal import Glibc
internal import Links
internal import POSIX
internal import Synchronization

/// A shell that cleans up after this program. When the program ends, the input of the shell ends: it then kills the
/// process whose number was sent last, and removes the directory.
final class ServiceWatchdog: Sendable {
  private let shell: ChildProcess
  private let end: Mutex<Int32?>
  /// A process sends its number to this descriptor. The shell acts when every copy of it is closed.
  let input: Int32

  /// - Throws: `LinkError.Code.serviceUnavailable` when no descriptors are left or the shell cannot be started.
  init(over directory: String) throws(LinkError) {
    var ends: [Int32] = [-1, -1]
    // The kernel writes two descriptors into an array of two.
    guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw LinkError(.serviceUnavailable, "cannot create the socket of a pcscd's watchdog: \(SystemError())")
    }
    let shellInput = Descriptor(owning: ends[1])
    input = ends[0]
    end = Mutex(ends[0])
    let script =
      #"while read -r number; do last=$number; done; [ -z "$last" ] || kill -9 "$last"; rm -rf -- "$0""#
    do throws(LinkError) {
      shell = try ChildProcess(script: script, [directory], descriptors: [0: shellInput.number], output: "/dev/null")
    } catch {
      close(ends[0])
      throw error
    }
  }

  /// Clears the process number. Its process has ended, and another process may get the number.
  func clearProcess() {
    var line: UInt8 = 0x0A
    // One byte of a local variable.
    _ = unsafe send(input, &line, 1, Int32(MSG_NOSIGNAL))
  }

  /// Makes the shell clean up, and waits for its end. A second call has no effect.
  func finish() {
    end.withLock { end in
      guard let descriptor = end else { return }
      end = nil
      close(descriptor)
      shell.end(with: nil, within: .seconds(10)) {}
    }
  }
}
