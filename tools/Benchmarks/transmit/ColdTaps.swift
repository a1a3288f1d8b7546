import Foundation

extension Transmit {
  /// How many taps each subject makes, and how many commands a tap has.
  private static let (coldRounds, coldCommands) = (40, 5)

  /// Measures one tap a second: before each tap nothing runs for a second, so that caches, processor clocks and threads are as a
  /// terminal finds them. The first command of a tap is shown apart from the later ones, with the page faults and changes of
  /// threads of the whole tap as the kernel counts them (`getrusage`), those of the card included, which is the same for all.
  static func compareCold(at reader: String) throws {
    var taps = [[ColdTap]](repeating: [], count: subjects.count)
    for round in 0...coldRounds {
      let order = round % 2 == 0 ? Array(subjects.indices) : subjects.indices.reversed()
      for index in order {
        Thread.sleep(forTimeInterval: 1)
        let tap = try ColdTap { try subjects[index].round(reader, coldCommands) }
        // The first tap of a process loads its libraries.
        if round > 0 { taps[index].append(tap) }
      }
    }
    print("us; the ratio is that of the first command to C: median of \(coldRounds) rounds with its quartiles")
    print(line("", ["first", "second", "fifth", "tap", "ratio", "", "", "faults", "switches"]))
    for (index, subject) in subjects.enumerated() { show(subject.name, taps[index], besides: taps[0]) }
  }

  private static func show(_ name: String, _ taps: [ColdTap], besides plain: [ColdTap]) {
    let microseconds = { (times: [UInt64]) in String(format: "%.1f", Double(median(times)) / 1_000) }
    let ratios = zip(taps, plain).map { Double($0.times[0]) / Double(max($1.times[0], 1)) }.sorted()
    let quartiles = [2, 1, 3].map { String(format: "%.2f", ratios[ratios.count * $0 / 4]) }
    print(
      line(
        name,
        [
          microseconds(taps.map { $0.times[0] }), microseconds(taps.map { $0.times[1] }),
          microseconds(taps.map { $0.times[coldCommands - 1] }), microseconds(taps.map(\.whole)),
        ] + quartiles + [String(median(taps.map(\.faults))), String(median(taps.map(\.switches)))]))
  }
}

/// One tap after a second without work.
struct ColdTap {
  let times: [UInt64]
  /// From before the connection to the reader until after its end.
  let whole: UInt64
  /// Page faults without a disk.
  let faults: UInt64
  /// Voluntary and forced changes of threads.
  let switches: UInt64

  init(_ tap: () throws -> [UInt64]) throws {
    let (begun, before) = (DispatchTime.now().uptimeNanoseconds, Self.usage())
    times = try tap()
    let (after, ended) = (Self.usage(), DispatchTime.now().uptimeNanoseconds)
    (whole, faults, switches) = (ended - begun, after.faults - before.faults, after.switches - before.switches)
  }

  private static func usage() -> (faults: UInt64, switches: UInt64) {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return (UInt64(max(usage.ru_minflt, 0)), UInt64(max(usage.ru_nvcsw + usage.ru_nivcsw, 0)))
  }
}
