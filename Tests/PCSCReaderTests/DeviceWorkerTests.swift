import Links
import Octets
import TestSupport
import Testing

@testable import PCSCReader

/// The thread that calls a device whose calls may never return. The real devices are tested at real readers.
@Suite("A worker for a device whose calls block", .blocks, .timeLimit(.minutes(20)))
struct DeviceWorkerTests {
  /// Records the requests, and holds each call until a test lets it return.
  final class CallLog: Sendable {
    private let state = WaitableState((requests: [UInt8](), permits: 0))

    var requests: [UInt8] { state.read(\.requests) }

    func perform(_ request: UInt8) {
      state.update { $0.requests.append(request) }
      _ = state.wait { state -> Bool? in
        guard state.permits > 0 else { return nil }
        state.permits -= 1
        return true
      }
    }

    func letOneCallReturn() { state.update { $0.permits += 1 } }

    func waits(for requests: [UInt8]) -> Bool {
      state.wait(for: .seconds(60)) { $0.requests == requests ? true : nil } ?? false
    }
  }

  struct Request: Sendable {
    let number: UInt8
    let log: CallLog
  }

  struct SlowDevice: ~Copyable, BlockingDevice {
    init(reader: String, until deadline: Instant) throws(LinkError) {}

    mutating func open() throws(LinkError) {}

    mutating func perform(_ request: Request) -> Result<[UInt8], LinkError> {
      request.log.perform(request.number)
      return .success([request.number])
    }
  }

  static let late = LinkError(.timedOut, "")

  private func start() throws(LinkError) -> DeviceWorker<SlowDevice> {
    try DeviceWorker<SlowDevice>.start(reader: "slow", thread: "slow", patience: .seconds(60)).0
  }

  @Test func `a request whose caller stops waiting before its turn is not performed`() throws {
    let log = CallLog()
    let worker = try start()
    let first = worker.submit(Request(number: 1, log: log))
    #expect(log.waits(for: [1]))
    let second = worker.submit(Request(number: 2, log: log))
    let error = linkError { () throws(LinkError) in
      _ = try second.value(within: .milliseconds(10), orFailWith: Self.late)
    }
    #expect(error?.code == .timedOut)
    let third = worker.submit(Request(number: 3, log: log))
    log.letOneCallReturn()
    log.letOneCallReturn()
    #expect(try first.value(within: .seconds(60), orFailWith: Self.late) == [1])
    #expect(try third.value(within: .seconds(60), orFailWith: Self.late) == [3])
    #expect(log.requests == [1, 3])
    worker.close(patience: .seconds(60))
  }

  @Test func `closing refuses queued requests at once, and the request in progress when its call returns`() throws {
    let log = CallLog()
    let worker = try start()
    let first = worker.submit(Request(number: 1, log: log))
    #expect(log.waits(for: [1]))
    let second = worker.submit(Request(number: 2, log: log))
    worker.close(patience: .zero)
    #expect(!second.isPending && first.isPending)
    let third = worker.submit(Request(number: 3, log: log))
    #expect(!third.isPending)
    log.letOneCallReturn()
    for result in [first, second, third] {
      let error = linkError { () throws(LinkError) in
        _ = try result.value(within: .seconds(60), orFailWith: Self.late)
      }
      #expect(error?.code == .readerUnavailable)
    }
    #expect(log.requests == [1])
  }
}
