#!/usr/bin/perl
# Starts $CHROMIUM without the kernel's news of network interfaces. Engines make and remove interfaces all the time, and at each
# Chromium breaks off what it is loading (ERR_NETWORK_CHANGED), which fails a test now and then. Told that there is no netlink,
# it takes the network for steady; everything else is as it was. Perl, because every Debian has it and it makes system calls.
use strict;
use warnings;
use POSIX qw(uname EAFNOSUPPORT);

use constant { PR_SET_NO_NEW_PRIVS => 38, PR_SET_SECCOMP => 22, SECCOMP_MODE_FILTER => 2, AF_NETLINK => 16 };
use constant { LOAD => 0x20, JUMP_IF_EQUAL => 0x15, RETURN => 0x06, ERRNO => 0x00050000, ALLOW => 0x7fff0000 };
# Where a filter finds these of a system call.
use constant { NUMBER => 0, ARCHITECTURE => 4, FIRST_ARGUMENT => 16 };

my %systems = (x86_64 => [0xC000003E, 41, 157], aarch64 => [0xC00000B7, 198, 167]);
my $machine = (uname())[4];
my ($architecture, $socket, $prctl) = @{ $systems{$machine} // die "There are no system calls known of $machine.\n" };

my $filter = join "", map { pack "SCCL", @$_ } (
    [LOAD, 0, 0, ARCHITECTURE],
    [JUMP_IF_EQUAL, 0, 5, $architecture],
    [LOAD, 0, 0, NUMBER],
    [JUMP_IF_EQUAL, 0, 3, $socket],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [JUMP_IF_EQUAL, 0, 1, AF_NETLINK],
    [RETURN, 0, 0, ERRNO | EAFNOSUPPORT],
    [RETURN, 0, 0, ALLOW],
);
my $program = pack "Sx6P", length($filter) / 8, $filter;
syscall($prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 or die "no_new_privs: $!\n";
syscall($prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, $program, 0, 0) == 0 or die "seccomp: $!\n";

my $chromium = $ENV{CHROMIUM} or die "CHROMIUM is not set.\n";
exec $chromium, @ARGV or die "$chromium: $!\n";
