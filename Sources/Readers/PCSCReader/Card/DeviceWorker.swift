internal import Links
internal import Octets

/// A card or reader behind libpcsclite: its calls block without a time limit and cannot be interrupted.
protocol BlockingDevice: ~Copyable, SendableMetatype {
  associatedtype Properties: Sendable
  associatedtype Request: Sendable
  associatedtype Response: Sendable

  /// Connects to the device, and waits until a deadline while other programs use it.
  init(reader: String, until deadline: Instant) throws(LinkError)

  /// Prepares the connected device. Not called when the caller has stopped waiting for the connection; the device must
  /// then remain as other programs expect it.
  mutating func open() throws(LinkError) -> Properties

  mutating func perform(_ request: Request) -> Result<Response, LinkError>

  /// Releases the device.
  consuming func close()
}

extension BlockingDevice where Self: ~Copyable {
  consuming func close() {}
}

/// The time between two attempts to connect to a device that another program uses.
let retryInterval = Duration.milliseconds(50)

/// How long `open` may take: longer than any reader waits for its chip.
private let openingLimit = Duration.seconds(8)

/// A thread that calls a blocking device, so that callers can stop waiting for it.
///
/// Requests are performed one after the other. A request that its caller no longer waits for still occupies the device
/// until its call returns. Passing a request on allocates nothing but its result, which a caller can use again.
final class DeviceWorker<Device: BlockingDevice & ~Copyable>: Sendable {
  private struct Job: Sendable {
    let request: Device.Request
    let result: PendingResult<Device.Response>
  }

  private struct State: Sendable {
    var jobs: [Job] = []
    var isClosed = false
    var hasEnded = false
  }

  private let reader: String
  private let state = WaitableState(State())

  private init(reader: String) {
    self.reader = reader
  }

  /// Starts the thread, connects to the device and opens it. Blocks.
  ///
  /// - Parameters:
  ///   - reader: The reader's full name.
  ///   - name: The thread's name.
  ///   - patience: How long to wait in all while other programs use the device.
  /// - Returns: The worker, and what `open` returned.
  /// - Throws: `LinkError`: `.busy` when another program still uses the device, `.timedOut` when it does not open, and
  ///   what the device throws.
  static func start(
    reader: String, thread name: String, patience: Duration
  ) throws(LinkError) -> (DeviceWorker, Device.Properties) {
    let worker = DeviceWorker(reader: reader)
    let (connection, properties) = (PendingResult<Void>(), PendingResult<Device.Properties>())
    _ = DedicatedThread(named: name) {
      let last = worker.run(connection, properties, until: SystemClock().now + patience)
      worker.state.update { $0.hasEnded = true }
      if let last { worker.refuse([last]) }
    }
    do throws(LinkError) {
      try connection.value(
        within: patience + retryInterval,
        orFailWith: Self.unconnected(reader, patience))
      let opened = try properties.value(
        within: openingLimit,
        orFailWith: LinkError(
          .timedOut,
          """
          reader "\(reader)": no response within \(openingLimit.text). Unplug the reader and plug it in again
          """))
      return (worker, opened)
    } catch {
      worker.refuseRequests()
      throw error
    }
  }

  /// Why there is no connection in time: another program uses the reader, or the card does not answer.
  private static func unconnected(_ reader: String, _ patience: Duration) -> LinkError {
    let status = try? PCSCService.readers().first { $0.name == reader }
    guard let status, status.card != nil, !status.isInUse, !status.isExclusive else {
      return LinkError(
        .busy,
        """
        reader "\(reader)": another program has used it for more than \(patience.text); \(LinkError.endOfUse)
        """)
    }
    return LinkError(
      .timedOut,
      """
      reader "\(reader)": the card has not answered within \(patience.text). Remove the card and present it again
      """)
  }

  /// The work of the thread.
  ///
  /// - Returns: The job that was performed while the worker was closed.
  private func run(
    _ connection: PendingResult<Void>, _ properties: PendingResult<Device.Properties>,
    until deadline: Instant
  ) -> Job? {
    var device: Device
    do throws(LinkError) {
      device = try Device(reader: reader, until: deadline)
    } catch {
      connection.complete(.failure(error))
      return nil
    }
    var last: Job?
    var failure: LinkError?
    if connection.complete(.success(())) {
      do throws(LinkError) {
        properties.complete(.success(try device.open()))
        last = performJobs(with: &device)
      } catch { failure = error }
    }
    device.close()
    if let failure { properties.complete(.failure(failure)) }
    return last
  }

  private func performJobs(with device: inout Device) -> Job? {
    while let job = nextJob() {
      guard job.result.isPending else { continue }
      let result = device.perform(job.request)
      if state.read(\.isClosed) { return job }
      job.result.complete(result)
    }
    return nil
  }

  /// Waits for the next job; nil when the worker is closed.
  private func nextJob() -> Job? {
    state.wait { state -> Job?? in
      if !state.jobs.isEmpty { return .some(state.jobs.removeFirst()) }
      return state.isClosed ? .some(nil) : nil
    } ?? nil
  }

  /// Appends a request to the queue. Does not block.
  ///
  /// - Parameter result: Where the response is put; without a result so far.
  /// - Returns: The same.
  @discardableResult
  func submit(
    _ request: Device.Request, for result: PendingResult<Device.Response> = PendingResult()
  ) -> PendingResult<Device.Response> {
    let job = Job(request: request, result: result)
    let isClosed = state.update { state in
      if !state.isClosed { state.jobs.append(job) }
      return state.isClosed
    }
    if isClosed { refuse([job]) }
    return result
  }

  /// Refuses all requests, and releases the device when the call in progress returns.
  ///
  /// - Parameter patience: How long to wait for that. A device that is released later is released by the thread.
  func close(patience: Duration) {
    refuseRequests()
    _ = state.wait(for: patience) { $0.hasEnded ? true : nil }
  }

  private func refuseRequests() {
    let jobs = state.update { state in
      state.isClosed = true
      return exchange(&state.jobs, with: [])
    }
    refuse(jobs)
  }

  private func refuse(_ jobs: [Job]) {
    let error = LinkError(.readerUnavailable, "reader \"\(reader)\": this program has closed it; open it again")
    for job in jobs { job.result.complete(.failure(error)) }
  }
}
