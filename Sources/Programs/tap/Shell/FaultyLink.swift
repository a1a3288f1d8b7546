import Dispatch
import EMVCard
import ISO7816
import Links

/// A link whose card answers wrongly as a plan says, and tells every fault on standard error.
final class FaultyLink: EmulationLink {
  private let base: any EmulationLink
  private let plan: FaultPlan
  private let format: OutputFormat
  private let stops = DispatchSemaphore(value: 0)

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
  }

  /// Ends a delay at once, too.
  func stop() {
    base.stop()
    stops.signal()
  }

  private var ports: FaultPorts {
    let (base, format, stops) = (base, format, stops)
    return FaultPorts(
      sleep: { duration in
        let nanoseconds = Int(duration / .nanoseconds(1))
        if stops.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success { stops.signal() }
      },
      leave: { base.stop() },
      tell: { fault in
        switch format {
        case .text: Console.note("\(fault)")
        case .json: Console.note(json: fault)
        }
      })
  }
}
