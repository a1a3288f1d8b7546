public import CardFaults
public import ISO7816
public import Links
internal import Synchronization

/// A link whose card answers wrongly as a plan says.
public final class FaultyLink: EmulationLink {
  private let base: any EmulationLink
  private let plan: CardFaultPlan
  private let report: @Sendable (InjectedFault) -> Void
  private let octetsBeforeRemoval: Int?
  private let isStopped = WaitableState(false)
  private let hasLeft = Atomic<Bool>(false)

  /// Wraps a link.
  ///
  /// - Parameters:
  ///   - octetsBeforeRemoval: How many bytes of its response a card sends before it leaves; nil for none. The caller makes
  ///     the wrapped link send them, such as a `PartialResponseLink` from `report`.
  ///   - report: Receives every fault when it happens, on the link's thread.
  public init(
    _ base: any EmulationLink, plan: CardFaultPlan, octetsBeforeRemoval: Int? = nil,
    report: @escaping @Sendable (InjectedFault) -> Void = { _ in }
  ) {
    self.base = base
    self.plan = plan
    self.report = report
    self.octetsBeforeRemoval = octetsBeforeRemoval
  }

  /// Serves the responder with its faults until the link ends.
  ///
  /// - Throws: `LinkError`: `.terminalLost` when the plan made the card leave, and what the wrapped link throws.
  public func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    var injector = FaultInjector(consume responder, plan: plan, ports: ports)
    do throws(LinkError) {
      try base.serve(&injector)
      responder = injector.release()
    } catch {
      responder = injector.release()
      throw error
    }
    // The wrapped link reports no error: it was stopped by the plan.
    if hasLeft.load(ordering: .acquiring) {
      throw LinkError(.terminalLost, "the card left the field in the middle, as its fault plan says")
    }
  }

  /// Stops the wrapped link, and ends a delay at once.
  public func stop() {
    base.stop()
    isStopped.update { $0 = true }
  }

  private var ports: FaultPorts {
    let isStopped = isStopped
    var ports = FaultPorts(
      sleep: { duration in _ = isStopped.wait(for: duration) { $0 ? true : nil } },
      leave: { [self] in
        hasLeft.store(true, ordering: .releasing)
        base.stop()
      },
      report: report)
    ports.octetsBeforeRemoval = octetsBeforeRemoval
    return ports
  }
}
