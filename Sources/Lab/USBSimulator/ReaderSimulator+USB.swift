public import Links
internal import Octets
public import ReaderSimulator

extension ReaderSimulator {
  /// Creates a simulator of the chips of USB readers. The readers may be plugged in and unplugged at any time: a chip that
  /// loses its power forgets everything.
  ///
  /// - Parameters:
  ///   - layout: One chip, one chip and a card, or two chips in one field.
  ///   - readers: The readers of the chips, in the order of the layout: each has a chip that is in no other field. Another
  ///     number, or a reader without a chip, traps.
  ///   - timing: How time passes in the field.
  ///   - faults: Which frames go wrong.
  /// - Throws: `LinkError.Code.transmissionFailed` when the process has no descriptors left.
  public convenience init(
    _ layout: SimulatedField.Layout, of readers: [SimulatedUSBDevice], timing: FieldTiming = FieldTiming(),
    faults: FieldFaultPlan = .none
  ) throws(LinkError) {
    let ports = readers.compactMap(\.chip)
    precondition(ports.count == readers.count, "a reader without a chip is in no field")
    try self.init(
      SimulatedField(layout, chips: ports.map(\.chip), timing: timing, faults: faults), hosts: ports,
      clock: SystemClock())
  }
}
