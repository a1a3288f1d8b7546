import Foundation
import Links
import TestSupport
import Testing
@testable import USBSimulator

extension USBReaderTests {
  /// The effect of each fault at the real driver, cited from the source of libccid 1.5.2 and libusb 1.0.26.
  @Suite struct FaultTests {
    /// Each fault after which the command fails, and what libccid logs.
    static let rows: [(fault: USBFault, log: String)] = [
      // ReadUSB (ccid_usb.c:1003) logs the name of libusb's error and does not clear the halt.
      (.stall, "LIBUSB_ERROR_PIPE"),
      (.babble, "LIBUSB_ERROR_OVERFLOW"),
      // ccid_error (commands.c) logs the text of bError FE.
      (.mute, "Card absent or mute"),
      // CmdXfrBlock's receiver (commands.c:1618) compares the bytes that came with dwLength.
      (.truncated, "Can't read all data"),
      (.padded, "Can't read all data"),
      // libusb ends the transfer with NO_DEVICE (linux_usbfs.c, ESHUTDOWN).
      (.unplug, "LIBUSB_ERROR_NO_DEVICE"),
    ]

    @Test(arguments: rows)
    func `a fault has the effect at libccid that its source says`(
      _ row: (fault: USBFault, log: String)
    ) throws {
      let bench = try USBBench()
      let device = SimulatedUSBDevice.known()
      let name = try #require(bench.plug(device).first)
      let scratch = try Scratch()
      let script = try scratch.write("script", "00B2010C01\n")
      let (link, card) = try bench.insert(in: device)
      // pcscd keeps the power of a card for 5 s, so the next response of the card is that to the command.
      device.setFaults(.next(row.fault))
      let second = try bench.send(script, to: name)
      #expect(!second.output.contains("42 90 00"), "\(row.fault): \(second.output)\(second.errors)")
      #expect(bench.log.contains(row.log), "\(row.fault): \(bench.log.suffix(3000))")
      link.stop()
      try card.join()
    }

    /// ReadUSB (ccid_usb.c) has the sequence number of responses to XfrBlock not compared (bSeq is -1), and CCID_Receive waits
    /// again at each time extension.
    @Test(arguments: [USBFault.wrongSequence, .extended])
    func `libccid does not look at the sequence number, and gives a card its time`(_ fault: USBFault) throws {
      let bench = try USBBench()
      let device = SimulatedUSBDevice.known()
      let name = try #require(bench.plug(device).first)
      let scratch = try Scratch()
      let (link, card) = try bench.insert(in: device)
      device.setFaults(.next(fault))
      let run = try bench.send(scratch.write("script", "00B2010C01\n"), to: name)
      #expect(run.output.contains("42 90 00"), "\(fault): \(run.output)\(run.errors)")
      link.stop()
      try card.join()
    }

    @Test func `the same seed gives the same faults`() {
      let draw = { (seed: UInt64) -> [USBFault?] in
        var plan = USBFaultPlan.random(seed: seed, [(.mute, 200), (.truncated, 200)])
        return (0..<100).map { _ in plan.next(isNotification: false) }
      }
      #expect(draw(7) == draw(7))
      #expect(draw(7) != draw(8))
      #expect((10...90).contains(draw(7).count { $0 != nil }))
    }
  }
}
