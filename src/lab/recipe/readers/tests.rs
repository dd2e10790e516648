use super::*;
use proptest::prelude::*;

/// What e2fsprogs 1.47.0 says, shortened.
const EXT4: &str = "\
dumpe2fs 1.47.0 (5-Feb-2023)
Filesystem volume name:   precious
Last mounted on:          /home/alice
Filesystem UUID:          24ccd81f-9852-417c-853e-91fce3af7fba
Filesystem magic number:  0xEF53
Filesystem features:      has_journal ext_attr resize_inode dir_index filetype needs_recovery extent 64bit flex_bg metadata_csum
Filesystem flags:         signed_directory_hash\x20
Inode count:              32768
Block count:              131072
Reserved block count:     6553
Block size:               4096
Flex block group size:    16
Filesystem created:       Tue Dec  1 20:00:29 2026
Inode size:\t          256
Directory Hash Seed:      8b3e0727-a18f-48ff-9a36-7401f67d0aa6
Total journal size:       16M
";

/// What xfsprogs 6.1.0 says.
const XFS: &str = "\
meta-data=/dev/secret8=1         isize=512    agcount=4, agsize=32768 blks
         =                       sectsz=512   attr=2, projid32bit=1
         =                       crc=1        finobt=1, sparse=1, rmapbt=0
         =                       reflink=1    bigtime=1 inobtcount=1 nrext64=0
data     =                       bsize=4096   blocks=131072, imaxpct=25
         =                       sunit=0      swidth=0 blks
naming   =version 2              bsize=4096   ascii-ci=0, ftype=1
log      =internal log           bsize=4096   blocks=16384, version=2
         =                       sectsz=512   sunit=0 blks, lazy-count=1
realtime =none                   extsz=4096   blocks=0, rtextents=0
";

/// What btrfs-progs 6.2 says, shortened.
const BTRFS: &str = "\
superblock: bytenr=65536, device=btrfs.img
---------------------------------------------------------
csum_type\t\t0 (crc32c)
csum_size\t\t4
csum\t\t\t0x4e6a1e33 [match]
flags\t\t\t0x1
\t\t\t( WRITTEN )
fsid\t\t\t7118f243-cab8-4402-9988-3a7e8cfc97dd
label\t\t\tprecious
sectorsize\t\t4096
nodesize\t\t16384
num_devices\t\t1
compat_flags\t\t0x0
compat_ro_flags\t\t0x3
\t\t\t( FREE_SPACE_TREE |
\t\t\t  FREE_SPACE_TREE_VALID )
incompat_flags\t\t0x341
\t\t\t( MIXED_BACKREF |
\t\t\t  NO_HOLES )
dev_item.uuid\t\t5d25ae16-926b-4d71-b216-91da2d399128
dev_item.sector_size\t4096
";

/// What f2fs-tools 1.15.0 says, shortened; the features are those of `mkfs.f2fs -O extra_attr,inode_checksum`.
const F2FS: &str = "\
Info: Debug level = 1
Info: MKFS version
  \"Linux version 6.18.44 (builder@host) (gcc (GCC) 15.3.0) #1 SMP @0\"
Info: superblock features = 28 :  extra_attr inode_checksum
Info: superblock encrypt level = 0, salt = 00000000000000000000000000000000
volum_name                    \t\t[precious]
Info: Segments per section = 1
Info: Sections per zone = 1
Info: CKPT version = 2f238899
";

/// What jfsutils 1.1.15 says.
const JFS: &str = "\
jfs_tune version 1.1.15, 04-Mar-2011

JFS filesystem superblock:

JFS magic number:\t'JFS1'
JFS version:\t\t1
JFS state:\t\tclean
JFS flags:\t\tJFS_LINUX  JFS_COMMIT  JFS_GROUPCOMMIT  JFS_INLINELOG \x20
Aggregate block size:\t4096 bytes
Aggregate size:\t\t1044040 blocks
Physical block size:\t512 bytes
Allocation group size:\t8192 aggregate blocks
Log device number:\t0x0
Filesystem creation:\tTue Dec  1 20:00:29 2026
Volume label:\t\t'precious'
";

/// What nilfs-utils 2.2.9 says, shortened; the feature is that of `mkfs.nilfs2 -O block_count`.
const NILFS: &str = "\
nilfs-tune 2.2.9
Filesystem volume name:\t  precious
Filesystem UUID:\t  5d25ae16-926b-4d71-b216-91da2d399128
Filesystem magic number:  0x3434
Filesystem revision #:\t  2.0
Filesystem features:      block_count
Filesystem state:\t  valid
Block size:\t\t  4096
Filesystem created:\t  Tue Dec  1 20:00:29 2026
Inode size:\t\t  128
# of blocks per segment:  2048
Reserved segments %:\t  5
";

/// What ntfs-3g 2022.10.3 says, shortened.
const NTFS: &str = "\
Volume Information\x20
\tName of device: /dev/sdb1
\tVolume Name: precious
\tVolume Version: 3.1
\tSector Size: 512
\tCluster Size: 4096
\tIndex Block Size: 4096
MFT Information\x20
\tMFT Record Size: 1024
\tAllocated clusters 7 (0.0%)
";

const ALL: [(super::super::FeatureReader, &str); 7] = [
    (ext_features, EXT4),
    (xfs_features, XFS),
    (btrfs_features, BTRFS),
    (f2fs_features, F2FS),
    (jfs_features, JFS),
    (nilfs_features, NILFS),
    (ntfs_features, NTFS),
];

#[test]
fn features_and_sizes_are_words() {
    let joined = |(read, text): (super::super::FeatureReader, &str)| read(text).join(", ");
    assert_eq!(
        ALL.map(joined),
        [
            "has_journal, ext_attr, resize_inode, dir_index, filetype, extent, 64bit, flex_bg, metadata_csum, block size 4096, \
             inode size 256, inodes 32768, reserved blocks 6553, blocks per flex group 16, journal 16M",
            "isize=512, agcount=4, agsize=32768, sectsz=512, attr=2, projid32bit=1, crc=1, finobt=1, sparse=1, rmapbt=0, reflink=1, \
             bigtime=1, inobtcount=1, nrext64=0, data bsize=4096, data blocks=131072, data imaxpct=25, data sunit=0, data swidth=0, \
             naming bsize=4096, naming ascii-ci=0, naming ftype=1, log internal, log bsize=4096, log blocks=16384, log version=2, \
             log sectsz=512, log sunit=0, log lazy-count=1, realtime extsz=4096, realtime blocks=0, realtime rtextents=0",
            "free_space_tree, free_space_tree_valid, mixed_backref, no_holes, checksum crc32c, sector size 4096, node size 16384, \
             devices 1",
            "extra_attr, inode_checksum, segments per section 1, sections per zone 1",
            "JFS_LINUX, JFS_COMMIT, JFS_GROUPCOMMIT, JFS_INLINELOG, version 1, block size 4096, physical block size 512, \
             blocks per allocation group 8192",
            "block_count, revision 2.0, block size 4096, inode size 128, blocks per segment 2048, reserved segments % 5",
            "version 3.1, sector size 512, cluster size 4096, index block size 4096, MFT record size 1024",
        ]
    );
}

#[test]
fn nothing_tells_one_filesystem_from_another_of_its_kind() {
    for (read, text) in ALL {
        let said = read(text).join(" ");
        for secret in ["precious", "alice", "secret", "2026", "24ccd81f", "7118f243", "5d25ae16", "builder", "/dev"] {
            assert!(!said.contains(secret), "{secret}: {said}");
        }
        assert_eq!(read(""), Vec::<String>::new());
    }
}

proptest! {
    #[test]
    fn any_text_is_read(text in ".{0,200}", lines in prop::collection::vec((0..7_usize, 0..40_usize, ".{0,12}"), 0..12)) {
        // Lines of the real ones, cut and with something else behind.
        let line = |(which, line, tail): &(usize, usize, String)| {
            let real = ALL[*which].1.lines().nth(*line).unwrap_or_default();
            let cut: String = real.chars().take(real.chars().count().saturating_sub(tail.chars().count())).collect();
            format!("{cut}{tail}\n")
        };
        let mixed: String = lines.iter().map(line).collect();
        for (read, _) in ALL {
            for said in read(&text).into_iter().chain(read(&mixed)) {
                prop_assert!(said.is_ascii() && said.len() < 80 && !said.contains(char::is_control), "{said:?}");
            }
        }
    }
}
