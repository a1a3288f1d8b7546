import Dispatch
import EMVCard
import ISO7816
import Links
import Synchronization

/// A link whose card answers wrongly as a plan says, and tells every fault on standard error.
final class FaultyLink: EmulationLink {
  private let base: any EmulationLink
  private let plan: FaultPlan
  private let format: OutputFormat
  private let stops = DispatchSemaphore(value: 0)
  private let hasLeft = Atomic<Bool>(false)

  init(_ base: any EmulationLink, plan: FaultPlan, format: OutputFormat) {
    self.base = base
    self.plan = plan
    self.format = format
  }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    var injector = FaultInjector(consume responder, plan: plan, ports: ports)
    do throws(LinkError) {
      try base.serve(&injector)
      responder = injector.release()
    } catch {
      responder = injector.release()
      throw error
    }
    // The link ended because the card left it, and nobody asked for that.
    if hasLeft.load(ordering: .acquiring) {
      throw LinkError(.terminalLost, "the card left the field in the middle, as its fault plan says")
    }
  }

  /// Ends a delay at once, too.
  func stop() {
    base.stop()
    stops.signal()
  }

  private var ports: FaultPorts {
    let (format, stops) = (format, stops)
    return FaultPorts(
      sleep: { duration in
        let nanoseconds = Int(duration / .nanoseconds(1))
        if stops.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success { stops.signal() }
      },
      leave: { [self] in
        hasLeft.store(true, ordering: .releasing)
        base.stop()
      },
      tell: { fault in
        switch format {
        case .text: Console.note("\(fault)")
        case .json: Console.note(json: fault)
        }
      })
  }
}
