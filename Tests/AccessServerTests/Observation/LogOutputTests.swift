@testable import AccessServer
import Dispatch
@testable import ServerShell
import Synchronization
import TestSupport
import Testing

@Suite("The output of a log", .blocks, .timeLimit(.minutes(20)))
struct LogOutputTests {
  @Test func `lines are written in their order`() {
    let written = Mutex("")
    let output = LogOutput { lines in written.withLock { $0 += lines + "\n" } }
    let lines = (0..<10_000).map { "line \($0)" }
    lines.forEach(output.append)
    output.flush(milliseconds: 60_000)
    #expect(written.withLock { $0 } == lines.map { $0 + "\n" }.joined())
  }

  @Test func `a log that is not read stops no thread, and the lost lines are counted`() {
    let reader = DispatchSemaphore(value: 0)
    let written = Mutex(0)
    let lost = Mutex(0)
    let output = LogOutput { lines in
      reader.wait()
      written.withLock { $0 += lines.split(separator: "\n").count }
    }
    output.reportLosses { count in lost.withLock { $0 += count } }
    let line = String(repeating: "x", count: 1_023)
    // Three times as much as there is room for.
    for _ in 0..<3_072 { output.append(line) }
    output.flush(milliseconds: 1)
    #expect(written.withLock { $0 } == 0)
    for _ in 0..<4 { reader.signal() }
    output.flush(milliseconds: 60_000)
    let (kept, dropped) = (written.withLock { $0 }, lost.withLock { $0 })
    // A full room was kept, and at most a second one that the writer had already taken.
    #expect(kept + dropped == 3_072 && dropped >= 1_024 && kept > 1_000, "\(kept) \(dropped)")
  }
}
